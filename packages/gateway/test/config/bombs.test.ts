import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { MAX_FAULTS } from '../../src/config/parse-config.ts'
import { bombs, type Refusal } from './bombs.ts'

const ONE_SECOND = 1000
const program = join(import.meta.dirname, 'bombs.ts')
let refusals: Readonly<Record<string, Refusal>>

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-bombs-'))
  const file = join(folder, 'refusals.json')
  await promisify(execFile)(process.execPath, [
    '--conditions=agentic-source',
    program,
    String(ONE_SECOND),
    file,
  ])
  refusals = JSON.parse(readFileSync(file, 'utf8'))
  rmSync(folder, { recursive: true })
})

test.each(Object.entries(bombs))('%s is refused within a second', (name, { fault }) => {
  const refusal = refusals[name]
  expect(refusal?.messages).toContainEqual(expect.stringMatching(fault))
  expect(refusal?.messages.length).toBeLessThanOrEqual(MAX_FAULTS + 1)
  expect(refusal?.milliseconds).toBeLessThan(ONE_SECOND)
})
