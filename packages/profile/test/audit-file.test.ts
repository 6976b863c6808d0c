import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseCheckpoint, splitNotes } from '../src/audit-log/checkpoint.ts'
import { sha256 } from '../src/audit-log/merkle-tree.ts'
import { record, records, sealedLog } from './sealed-log.ts'

const linked = (lines: readonly string[]) =>
  lines.every((line, index) => {
    const { seq, prev } = JSON.parse(line)
    const before = lines[index - 1]
    return seq === index && prev === (before === undefined ? '0'.repeat(64) : sha256(before).toString('hex'))
  })

it('begins each line with its number and the hash of the line before', async () => {
  const log = sealedLog()
  const file = log.open()
  await file.append({ records: records(2) })
  await file.close()
  const lines = log.lines()
  expect(lines.map((line) => JSON.parse(line).event_type)).toEqual([
    'agentic.audit.opened',
    'agentic.request.received',
    'agentic.request.received',
  ])
  expect(lines[1]).toMatch(/^\{"seq":1,"prev":"[0-9a-f]{64}","event_type":/)
  expect(linked(lines)).toBe(true)
  expect(await log.verify()).toEqual({ faults: [], first: 0, size: 3, sealedSize: 3, matching: 1 })
  expect(statSync(log.file).mode & 0o777).toBe(0o600)
})

it('writes a checkpoint after 1,000 lines and at the end', async () => {
  const log = sealedLog()
  const file = log.open()
  for (let n = 0; n < 2_200; n += 200) await file.append({ records: records(200, n) })
  await file.close()
  const { notes } = splitNotes(readFileSync(log.checkpoints, 'utf8'))
  const sizes = notes.map(({ note }) => parseCheckpoint(log.verifier.open(note) ?? '')?.size)
  expect(sizes).toEqual([1001, 2001, 2201])
  expect(await log.verify()).toMatchObject({ faults: [], size: 2201, sealedSize: 2201, matching: 3 })
})

it('is plain JSON lines without a seal', async () => {
  const log = sealedLog()
  const file = log.open({ seal: undefined })
  await file.append({ records: records(2), lost: 3 })
  await file.close()
  expect(readFileSync(log.file, 'utf8')).toBe(`{"lost":3,${record(0).slice(1)}\n${record(1)}\n`)
  expect(readdirSync(log.folder)).toEqual(['audit.jsonl', 'audit.lock'])
})

it('tells lost records in the next line', async () => {
  const log = sealedLog()
  const file = log.open()
  await file.append({ records: records(1), lost: 7 })
  await file.append({ records: records(1) })
  await file.close()
  expect(log.lines().map((line) => JSON.parse(line).lost)).toEqual([undefined, 7, undefined])
  expect((await log.verify()).faults).toEqual([])
})

it('goes on after a restart with the same chain', async () => {
  const log = sealedLog()
  for (let start = 0; start < 3; start += 1) {
    const file = log.open()
    await file.append({ records: records(5) })
    await file.close()
  }
  expect(linked(log.lines())).toBe(true)
  expect(await log.verify()).toMatchObject({ faults: [], size: 18, matching: 3 })
})

it('goes on in a new file at the limit, and each file can be verified without those before', async () => {
  const log = sealedLog()
  const file = log.open({ rotate: { maxBytes: 2_000 } })
  for (let n = 0; n < 20; n += 1) await file.append({ records: records(2, n) })
  await file.close()
  const files = log.files()
  expect(files.length).toBeGreaterThan(3)
  expect(files.at(-1)).toBe(log.file)
  for (const each of files.slice(1)) {
    const [first = ''] = readFileSync(each, 'utf8').split('\n')
    const { event_type, attributes, seq } = JSON.parse(first)
    expect(event_type).toBe('agentic.audit.opened')
    expect(parseCheckpoint(log.verifier.open(attributes.checkpoint) ?? '')?.size).toBe(seq)
  }
  expect(await log.verify()).toMatchObject({ faults: [], first: 0 })
  for (const each of files.slice(0, -2)) rmSync(each)
  const rest = await log.verify()
  expect(rest.faults).toEqual([])
  expect(rest.first).toBeGreaterThan(0)
  const again = log.open()
  await again.append({ records: records(1) })
  await again.close()
  expect(await log.verify()).toMatchObject({ faults: [], size: rest.size + 2 })
})

it('goes on in a new file every day', async () => {
  const log = sealedLog()
  let now = new Date('2026-01-01T23:59:59Z')
  const file = log.open({ rotate: { daily: true }, now: () => now })
  await file.append({ records: records(1) })
  now = new Date('2026-01-02T00:00:01Z')
  await file.append({ records: records(1) })
  await file.append({ records: records(1) })
  await file.close()
  expect(log.files().map((name) => name.slice(log.folder.length + 1))).toEqual([
    'audit-000000000000.jsonl',
    'audit.jsonl',
  ])
  expect(await log.verify()).toMatchObject({ faults: [], size: 5 })
})

it('keeps bodies beside the log, where they can be erased', async () => {
  const log = sealedLog()
  const file = log.open()
  const body = 'my secret'
  const body_sha256 = sha256(body).toString('hex')
  const kept = { request_id: 'r-0', body_sha256, body }
  await file.append({ records: records(1), bodies: [kept] })
  const bodies = join(log.folder, 'audit.bodies')
  expect(JSON.parse(readFileSync(bodies, 'utf8'))).toEqual(kept)
  rmSync(bodies)
  await file.append({ records: records(1), bodies: [kept] })
  await file.close()
  expect(JSON.parse(readFileSync(bodies, 'utf8'))).toEqual(kept)
  rmSync(bodies)
  expect((await log.verify()).faults).toEqual([])
})

it('goes on after the process was killed at any byte of a line, and keeps the torn bytes', async () => {
  const log = sealedLog()
  const file = log.open()
  await file.append({ records: records(1) })
  await file.checkpoint()
  await file.append({ records: records(1, 1) })
  const whole = readFileSync(log.file)
  const checkpoints = readFileSync(log.checkpoints)
  await file.close()
  const start = whole.lastIndexOf(10, whole.length - 2) + 1
  for (let end = start; end <= whole.length; end += 7) {
    for (const name of readdirSync(log.folder)) rmSync(join(log.folder, name))
    writeFileSync(log.file, whole.subarray(0, end))
    writeFileSync(log.checkpoints, checkpoints)
    const again = log.open()
    await again.append({ records: records(1, 2) })
    await again.close()
    expect((await log.verify()).faults, `cut at ${end}`).toEqual([])
    const torn = whole.subarray(start, end)
    if (torn.length === 0 || end === whole.length) continue
    const { attributes } = JSON.parse(log.lines()[2] ?? '')
    expect(attributes).toMatchObject({
      torn_bytes: String(torn.length),
      torn_sha256: sha256(torn).toString('hex'),
      torn_file: 'audit.torn-2',
    })
    expect(readFileSync(join(log.folder, 'audit.torn-2'))).toEqual(torn)
  }
})

it('tells a torn line also when it was killed again before the record of it', async () => {
  const log = sealedLog()
  const file = log.open()
  await file.append({ records: records(1) })
  await file.close()
  writeFileSync(join(log.folder, 'audit.torn-2'), '{"seq":2')
  const again = log.open()
  await again.append({ records: records(1) })
  await again.close()
  expect(JSON.parse(log.lines()[2] ?? '').attributes).toMatchObject({
    torn_bytes: '8',
    torn_file: 'audit.torn-2',
  })
})

it('goes on after it was killed within a checkpoint', async () => {
  const log = sealedLog()
  const file = log.open()
  await file.append({ records: records(3) })
  await file.checkpoint()
  await file.append({ records: records(3) })
  await file.close()
  truncateSync(log.checkpoints, statSync(log.checkpoints).size - 20)
  expect((await log.verify()).faults).toMatchObject([{ kind: 'cut', file: log.checkpoints, line: 7 }])
  const again = log.open()
  await again.append({ records: records(1) })
  await again.close()
  expect(await log.verify()).toMatchObject({ faults: [], matching: 2 })
})

it('goes on after it was killed between two files', async () => {
  const log = sealedLog()
  const file = log.open({ rotate: { maxBytes: 1_000 } })
  for (let n = 0; n < 4; n += 1) await file.append({ records: records(2, n) })
  await file.close()
  const { first = '' } = { first: log.lines()[0] }
  const at = JSON.parse(first).seq
  rmSync(log.file)
  // The last checkpoint covers the file that is gone.
  const { notes } = splitNotes(readFileSync(log.checkpoints, 'utf8'))
  writeFileSync(
    log.checkpoints,
    notes
      .slice(0, -1)
      .map(({ note }) => note)
      .join('\n'),
  )
  const again = log.open()
  await again.append({ records: records(1) })
  await again.close()
  expect(await log.verify()).toMatchObject({ faults: [], size: at + 2 })
})

it.each([
  [
    'a changed line',
    (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('r-1', 'r-9')),
    'is broken at seq 3',
  ],
  ['a cut end', (file: string) => truncateSync(file, 0), 'a checkpoint of 4 lines, and only 0 are there'],
  ['a line without a seal', (file: string) => writeFileSync(file, '{"a":1}\n'), 'lines without a seal'],
] as const)('does not go on after %s', async (_name, change, message) => {
  const log = sealedLog()
  const file = log.open()
  await file.append({ records: records(3) })
  await file.close()
  change(log.file)
  await expect(log.open().append({ records: records(1) })).rejects.toThrow(message)
})

it('refuses a second writer until the first one has closed the file', async () => {
  const log = sealedLog()
  const one = log.open()
  await one.append({ records: records(1) })
  const other = log.open()
  expect(() => other.lock()).toThrow('another process writes this audit file')
  await expect(other.append({ records: records(2) })).rejects.toThrow(
    'another process writes this audit file',
  )
  await one.append({ records: records(1) })
  await one.close()
  other.lock()
  await other.close()
  const third = log.open()
  await third.append({ records: records(1) })
  await third.close()
  expect(await log.verify()).toMatchObject({ faults: [], size: 5 })
})

it('tells the records that it lost while another writer had the file', async () => {
  const log = sealedLog()
  const one = log.open()
  await one.append({ records: records(1) })
  const other = log.open()
  await expect(other.append({ records: records(2) })).rejects.toThrow('another process')
  await one.close()
  // It tries again after a pause.
  await expect
    .poll(() =>
      other.append({ records: records(1) }).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  await other.close()
  expect(JSON.parse(log.lines().at(-1) ?? '').lost).toBeGreaterThanOrEqual(2)
  expect((await log.verify()).faults).toEqual([])
})

it('notices a writer that no lock keeps away, loses the batch and goes on after it', async () => {
  const log = sealedLog()
  const one = log.open()
  await one.append({ records: records(1) })
  await one.checkpoint()
  // As on a file system without locks.
  const copy = sealedLog(log.pem)
  copyFileSync(log.file, copy.file)
  copyFileSync(log.checkpoints, copy.checkpoints)
  const other = copy.open()
  await other.append({ records: records(1) })
  await other.close()
  copyFileSync(copy.file, log.file)
  copyFileSync(copy.checkpoints, log.checkpoints)
  await expect(one.append({ records: records(2) })).rejects.toThrow('another process')
  await one.append({ records: records(1) })
  await one.close()
  expect(JSON.parse(log.lines().at(-1) ?? '').lost).toBe(2)
  expect((await log.verify()).faults).toEqual([])
})

it('does not open a file that cannot be made, and tries again', async () => {
  const log = sealedLog()
  const place = join(log.folder, 'place')
  writeFileSync(place, '')
  const file = log.open({ file: join(place, 'audit.jsonl') })
  await expect(file.append({ records: records(1) })).rejects.toThrow(/EEXIST|ENOTDIR/)
  await file.close()
})

it('sends each checkpoint to the anchor, and again what did not arrive', async () => {
  const log = sealedLog()
  const arrived: string[] = []
  let isDown = true
  const warnings: string[] = []
  const anchor = async (note: string) => {
    if (isDown) throw new Error('refused')
    arrived.push(note)
  }
  const file = log.open({ anchor, warn: (message) => warnings.push(message) })
  await file.append({ records: records(1) })
  await file.checkpoint()
  await file.append({ records: records(1) })
  await file.checkpoint()
  expect(file.isAnchorFailing).toBe(true)
  isDown = false
  await file.append({ records: records(1) })
  await file.close()
  expect(warnings).toEqual(['checkpoints do not reach the anchor'])
  expect(arrived.join('\n')).toBe(readFileSync(log.checkpoints, 'utf8'))
  expect(file.isAnchorFailing).toBe(false)
})
