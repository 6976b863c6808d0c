import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatFaults } from '../../src/config/faults.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { corpusEnvironment } from './corpus-environment.ts'

const folder = new URL('bad/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
const namesEndingIn = (ending: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
const names = namesEndingIn('.yaml')

test('the corpus has at least 60 bad files, each with its expected message', () => {
  expect(names.length).toBeGreaterThanOrEqual(60)
  expect(namesEndingIn('.txt')).toEqual(names)
})

describe('a bad file is refused with every fault it has, in order', () => {
  test.each(names)('%s', (name) => {
    const result = parseConfig(read(`${name}.yaml`), { file: `${name}.yaml`, env: corpusEnvironment })
    expect(result.ok ? 'valid' : `${formatFaults(result.faults)}\n`).toBe(read(`${name}.txt`))
  })
})

test('no expected message contains a value of the environment or of a credential', () => {
  const leaks = names.filter((name) => /do-not-show|nobody-may-read|\{ port: 1 \}/.test(read(`${name}.txt`)))
  expect(leaks).toEqual([])
})

test('an empty collector address is the one fault that is a failed initialisation', () => {
  const kindsOf = (name: string): string[] => {
    const result = parseConfig(read(`${name}.yaml`), { file: name, env: corpusEnvironment })
    return result.ok ? [] : result.faults.map(({ kind, path }) => `${kind} ${path}`)
  }
  const initialisation = names.flatMap(kindsOf).filter((fault) => fault.startsWith('initialisation'))
  expect(new Set(initialisation)).toEqual(new Set(['initialisation plugins.otel-audit.otlp_endpoint']))
  expect(kindsOf('otlp-with-empty-endpoint')).toEqual(['initialisation plugins.otel-audit.otlp_endpoint'])
  expect(kindsOf('otlp-endpoint-not-absolute')).toEqual(['invalid plugins.otel-audit.otlp_endpoint'])
})
