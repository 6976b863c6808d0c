import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { MAX_FAULTS, parseConfig } from '../../src/config/parse-config.ts'
import { runProgram } from '../harness/run-program.ts'
import { bombs, MOST_COST, type Refusal } from './bombs.ts'

const program = join(import.meta.dirname, 'bombs.ts')
let refusals: Readonly<Record<string, Refusal>>

beforeAll(async () => {
  refusals = await runProgram(program)
})

test.each(Object.entries(bombs))('%s is refused at small cost', (name, { fault }) => {
  const refusal = refusals[name]
  expect(refusal?.messages).toContainEqual(expect.stringMatching(fault))
  expect(refusal?.messages.length).toBeLessThanOrEqual(MAX_FAULTS + 1)
  expect(refusal?.cost).toBeLessThan(MOST_COST)
})

const TWICE = `plugins:
  token-validator: { mode: off }
routes:
  - { id: a, method: GET, path: /a, target: 'http://x' }
  - { id: a, method: GET, path: /b, target: 'http://x' }
`
const unknownKeys = (count: number) =>
  `  - { ${Array.from({ length: count }, (_, n) => `k${n}: 1`).join(', ')} }\n`

function messagesOf(text: string): readonly string[] {
  const result = parseConfig(text, { file: 'gateway.yaml', env: {} })
  return result.ok ? [] : result.faults.map(({ message }) => message)
}

test('faults across keys are told, unless more than a thousand others are', () => {
  const repeated = expect.stringMatching(/"a"/)
  expect(messagesOf(TWICE)).toContainEqual(repeated)
  expect(messagesOf(TWICE + unknownKeys(900))).toContainEqual(repeated)
  expect(messagesOf(TWICE + unknownKeys(1100))).not.toContainEqual(repeated)
  // The unknown keys are behind a fault of the syntax, and not told.
  expect(messagesOf(`${TWICE}  - { id: "\\q" }\n${unknownKeys(1100)}`)).toContainEqual(repeated)
})
