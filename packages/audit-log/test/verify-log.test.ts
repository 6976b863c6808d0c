import { readFileSync, writeFileSync } from 'node:fs'
import { cpuRatio } from '@agentic-rest/testing/cpu-ratio'
import { expect, it } from 'vitest'
import { signCheckpoint } from '../src/checkpoint.ts'
import { leafHash } from '../src/merkle-tree.ts'
import { proveLines } from '../src/prove-line.ts'
import { createNoteSigner } from '../src/signed-note.ts'
import { formatProof, isProof, parseProof, proofFault } from '../src/tlog-proof.ts'
import { flipAll } from './flip-bytes.ts'
import { newKey, record, records, sealedLog } from './sealed-log.ts'

/** A closed log of 60 lines: the opened record and 59 others, with checkpoints of 21, 41 and 60 lines. */
async function closedLog(pem?: string, change = (text: string) => text) {
  const log = sealedLog(pem)
  const file = log.open({ now: () => THEN })
  for (const [from, count] of [
    [0, 20],
    [20, 20],
    [40, 19],
  ] as const) {
    await file.append({ records: records(count, from).map(change) })
    await file.checkpoint()
  }
  await file.close()
  return log
}

// Two logs of the same records have the same lines.
const THEN = new Date()

type Log = Awaited<ReturnType<typeof closedLog>>

function edit(log: Log, change: (lines: string[]) => void): void {
  const lines = log.lines()
  change(lines)
  writeFileSync(log.file, `${lines.join('\n')}\n`)
}

const kinds = async (log: Log) =>
  (await log.verify()).faults.map(
    ({ kind, file, line }) => `${kind} ${file === log.file ? '' : 'checkpoints '}${line}`,
  )

const swap = (lines: string[], at: number) => lines.splice(at, 2, lines[at + 1] ?? '', lines[at] ?? '')

it.each<[string, (lines: string[]) => void, string[]]>([
  [
    'a changed line',
    (lines) => lines.splice(9, 1, (lines[9] ?? '').replace('"r-8"', '"r-9"')),
    ['changed line 10'],
  ],
  [
    'two changed lines',
    (lines) => {
      lines.splice(9, 1, (lines[9] ?? '').replace('"r-8"', '"r-0"'))
      lines.splice(30, 1, (lines[30] ?? '').replace('"r-29"', '"r-0"'))
    },
    ['changed line 10', 'changed line 31'],
  ],
  ['a missing line', (lines) => lines.splice(9, 1), ['cut 10']],
  ['missing lines', (lines) => lines.splice(9, 12), ['cut 10']],
  ['a missing beginning', (lines) => lines.splice(0, 3), ['cut 1']],
  ['a missing end', (lines) => lines.splice(50), ['cut 51']],
  ['two lines in another order', (lines) => swap(lines, 9), ['reordering 10']],
  ['a line twice', (lines) => lines.splice(10, 0, lines[9] ?? ''), ['insertion 11']],
  ['an inserted text', (lines) => lines.splice(10, 0, 'something'), ['insertion 11']],
  [
    'an inserted line with a fitting head',
    (lines) => {
      const head = (lines[10] ?? '').slice(0, (lines[10] ?? '').indexOf(',"event_type"'))
      lines.splice(10, 0, `${head},"forged":true}`)
    },
    ['insertion 11'],
  ],
])('finds %s', async (_name, change, found) => {
  const log = await closedLog()
  edit(log, change)
  expect(await kinds(log)).toEqual(found)
})

it('finds a change whose chain was computed anew, by the checkpoint', async () => {
  const log = await closedLog()
  const other = await closedLog(log.pem, (text) => text.replace('"r-30"', '"r-x"'))
  writeFileSync(log.file, readFileSync(other.file))
  expect(await kinds(log)).toEqual(['changed line 41'])
  expect((await log.verify()).sealedSize).toBe(21)
})

it('finds with an anchor that the holder of the key has rewritten the log', async () => {
  const log = await closedLog()
  const other = await closedLog(log.pem, (text) => text.replace('"r-30"', '"r-x"'))
  expect((await other.verify()).faults).toEqual([])
  const anchor = { file: 'anchor', content: readFileSync(log.checkpoints, 'utf8') }
  const { faults } = await other.verify(anchor)
  expect(faults.map(({ kind, file, line }) => `${kind} ${file}:${line}`)).toEqual([
    'contradicting checkpoints anchor:7',
    'contradicting checkpoints anchor:13',
  ])
})

it('finds two checkpoints of one size, a checkpoint of another key and a changed checkpoint', async () => {
  const log = await closedLog()
  const content = readFileSync(log.checkpoints, 'utf8')
  const head = { size: 41, root: leafHash(Buffer.from('x')) }
  writeFileSync(log.checkpoints, `${content}\n${signCheckpoint(head, log.signer)}`)
  expect(await kinds(log)).toEqual(['contradicting checkpoints checkpoints 19'])
  const stranger = createNoteSigner(log.signer.name, newKey())
  writeFileSync(log.checkpoints, `${content}\n${signCheckpoint(head, stranger)}`)
  expect(await kinds(log)).toEqual(['forged checkpoint checkpoints 19'])
  writeFileSync(log.checkpoints, content.replace('\n41\n', '\n42\n'))
  expect(await kinds(log)).toEqual(['forged checkpoint checkpoints 7'])
})

it('finds each flipped byte of the last lines, and one of each other line, with its line', async () => {
  const { file, verify } = await closedLog()
  const wanted = (line: number, column: number) => line >= 59 || column === (line * 7) % 200
  expect(await flipAll({ file, wanted, verify: () => verify() })).toBeGreaterThan(350)
})

it('proves each record of a request, in a text that stands alone', async () => {
  const log = await closedLog()
  const checkpoints = [{ file: log.checkpoints, content: readFileSync(log.checkpoints, 'utf8') }]
  const result = await proveLines({
    requestId: 'r-33',
    files: log.files(),
    verifier: log.verifier,
    checkpoints,
  })
  const [proof] = result.ok ? result.proofs : []
  const text = proof === undefined ? '' : formatProof(proof)
  expect(text.split('\n').slice(0, 3)).toEqual([
    'c2sp.org/tlog-proof@v1',
    `extra ${Buffer.from(log.lines()[34] ?? '').toString('base64')}`,
    'index 34',
  ])
  expect(isProof(text)).toBe(true)
  const parsed = parseProof(text)
  expect(parsed).toEqual(proof)
  expect(parsed && proofFault(parsed, log.verifier)).toBeUndefined()
  const forged = parsed && { ...parsed, line: Buffer.from(record(1)) }
  expect(forged && proofFault(forged, log.verifier)).toBe('its line is not in the log of its checkpoint')
})

it.each([
  ['r-none', 'no record has this request id'],
  ['33', 'no record has this request id'],
])('proves nothing about %s', async (requestId, reason) => {
  const log = await closedLog()
  const checkpoints = [{ file: log.checkpoints, content: readFileSync(log.checkpoints, 'utf8') }]
  const proving = { requestId, files: log.files(), verifier: log.verifier, checkpoints }
  expect(await proveLines(proving)).toEqual({ ok: false, reason })
})

it('verifies a line for a small multiple of the time to read and to hash it', async () => {
  const log = sealedLog()
  const file = log.open()
  const padded = record(0).replace('"r-0"', `"r-0","padding":"${'x'.repeat(300)}"`)
  await file.append({ records: Array.from({ length: 10_000 }, () => padded) })
  await file.close()
  const work = async () => expect(await log.verify()).toMatchObject({ faults: [], size: 10_001 })
  const reference = () => {
    for (let n = 0; n < 10_000; n += 1) leafHash(Buffer.from(JSON.stringify(JSON.parse(padded))))
  }
  // Measured: 3 to 4.
  const below = 6
  expect(await cpuRatio({ work, reference, below })).toBeLessThan(below)
})
