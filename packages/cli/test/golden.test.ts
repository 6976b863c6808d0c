import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../src/commands.ts'
import { readVersion } from '../src/version.ts'
import { type GoldenCase, goldenCases } from './golden/cases.ts'
import { answerWithOutcome } from './harness/outcome-service.ts'
import { folderWith } from './harness/run-agentic.ts'
import { type EndedHere, runHere } from './harness/run-here.ts'
import { startUpstream } from './harness/start-upstream.ts'

/**
 * What every command prints, as files in `golden/`. After a change that is meant, write them anew with
 * `npx vitest run packages/cli/test/golden.test.ts -u` and read the difference.
 */
const folder = join(import.meta.dirname, 'golden')
const files = join(folder, 'files')

const helps = commands.map(({ name }): GoldenCase => ({ name: `help-${name}`, args: [name, '--help'] }))
const cases = [...helps, ...goldenCases]

test.each(cases)('$name', async ({ name, args, calls, writes, ...options }) => {
  const address = calls ? ['--base-url', (await startUpstream(answerWithOutcome)).url] : []
  const cwd = writes === undefined ? files : copyOfFiles()
  const ended = await runHere([...args, ...address], { cwd, ...options })
  const written = writes === undefined ? '' : filesIn(join(cwd, writes))
  const text = steady(`${transcript(args, ended)}${written}`)
  await expect(text).toMatchFileSnapshot(join(folder, `${name}.txt`))
})

function copyOfFiles(): string {
  const copy = folderWith({})
  cpSync(files, copy, { recursive: true })
  return copy
}

// The schema of the configuration is generated, and kept elsewhere.
const known = ['gateway.schema.json']

function filesIn(place: string): string {
  if (!existsSync(place)) return ''
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !known.includes(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => `--- file ${relative(place, file)}\n${readFileSync(file, 'utf8')}`)
    .join('')
}

test('every file has its case', () => {
  const known = new Set(cases.map(({ name }) => `${name}.txt`))
  expect(readdirSync(folder).filter((file) => file.endsWith('.txt') && !known.has(file))).toEqual([])
  expect(known.size).toBe(cases.length)
})

function transcript(args: readonly string[], { code, stdout, stderr }: EndedHere): string {
  const line = ['agentic', ...args.map(quoted)].join(' ')
  return [`$ ${line}`, ...part('stdout', stdout), ...part('stderr', stderr), `--- exit ${code}`, ''].join(
    '\n',
  )
}

/** What differs from machine to machine and from release to release, by its name. */
function steady(text: string): string {
  return text
    .replaceAll(files, '<folder>')
    .replaceAll(JSON.stringify(readVersion()), '"<version>"')
    .replaceAll(`${tmpdir()}/`, '<temporary>/')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
}

function part(name: string, text: string): string[] {
  if (text === '') return []
  return [`--- ${name}`, text.endsWith('\n') ? text.slice(0, -1) : `${text}(no line break at the end)`]
}

function quoted(argument: string): string {
  return /^[\w./:@=-]+$/.test(argument) ? argument : JSON.stringify(argument)
}
