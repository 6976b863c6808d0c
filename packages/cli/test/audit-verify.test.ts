import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuditFile, createNoteSigner } from '@agentic-rest/audit-log'
import { expect, test } from 'vitest'
import { folderWith } from './harness/run-agentic.ts'
import { runHere } from './harness/run-here.ts'

const HOUR_MS = 3_600_000

/** A sealed log; each number writes so many records and a checkpoint, an hour ago. */
async function logOf(...batches: readonly number[]) {
  const cwd = folderWith({})
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
  const seal = createNoteSigner('agents.example.com/audit/7f3c', pem)
  const file = join(cwd, 'audit.jsonl')
  const log = new AuditFile({ file, seal, now: () => new Date(Date.now() - HOUR_MS) })
  const states: Record<string, string>[] = []
  for (const count of batches) {
    await log.append({ records: Array.from({ length: count }, (_, n) => `{"request_id":"r-${n}"}`) })
    await log.checkpoint()
    const names = ['audit.jsonl', 'audit.checkpoints', 'audit.head']
    states.push(Object.fromEntries(names.map((name) => [name, readFileSync(join(cwd, name), 'utf8')])))
  }
  await log.close()
  const verify = async (...more: readonly string[]) => {
    const { code, stdout } = await runHere(
      ['audit', 'verify', 'audit.jsonl', '--key', seal.verifierKey, ...more],
      { cwd },
    )
    return [code, stdout.split('\n')[0]]
  }
  const restore = (state: number, ...names: readonly string[]) => {
    for (const name of names) writeFileSync(join(cwd, name), states[state]?.[name] ?? '')
  }
  return { cwd, verify, restore, states }
}

test('a log that was cut to an earlier checkpoint is behind its head file', async () => {
  const { verify, restore } = await logOf(3, 3)
  expect(await verify()).toEqual([0, '7 lines are as they were signed (2 checkpoints).'])
  restore(0, 'audit.jsonl', 'audit.checkpoints')
  expect(await verify()).toEqual([1, 'audit.jsonl:5: cut: the key has signed 7 lines, and 4 are there'])
})

test('a head file on another volume tells a log that was cut with all that is beside it', async () => {
  const { cwd, verify, restore, states } = await logOf(3, 3)
  const kept = join(cwd, 'kept.head')
  writeFileSync(kept, states[1]?.['audit.head'] ?? '')
  restore(0, 'audit.jsonl', 'audit.checkpoints', 'audit.head')
  expect(await verify()).toEqual([0, '4 lines are as they were signed (1 checkpoint).'])
  expect(await verify('--head', kept)).toEqual([
    1,
    'audit.jsonl:5: cut: the key has signed 7 lines, and 4 are there',
  ])
  expect(await verify('--head', join(cwd, 'none'))).toEqual([2, ''])
})

test('lines of an hour ago that no checkpoint covers are a fault', async () => {
  const { verify, restore } = await logOf(3, 3)
  restore(0, 'audit.checkpoints', 'audit.head')
  expect(await verify()).toEqual([
    1,
    'audit.jsonl:5: uncovered lines: no checkpoint covers the last 3 lines, which are older than a minute',
  ])
})

test('more lines than one interval that no checkpoint covers are a fault', async () => {
  const { verify, restore } = await logOf(3, 600, 600)
  restore(0, 'audit.checkpoints', 'audit.head')
  expect(await verify()).toEqual([
    1,
    'audit.jsonl:5: uncovered lines: no checkpoint covers the last 1200 lines, and a writer leaves at most 1000',
  ])
})
