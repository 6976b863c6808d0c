import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { AuditFileOptions } from '../src/audit-file.ts'
import { parseCheckpoint, splitNotes } from '../src/checkpoint.ts'
import { sha256 } from '../src/merkle-tree.ts'
import { record, records, sealedLog } from './sealed-log.ts'

const linked = (lines: readonly string[]) =>
  lines.every((line, index) => {
    const { seq, prev } = JSON.parse(line)
    const before = lines[index - 1]
    return seq === index && prev === (before === undefined ? '0'.repeat(64) : sha256(before).toString('hex'))
  })

type Log = ReturnType<typeof sealedLog>

async function write(log: Log, count: number, options: Partial<AuditFileOptions> = {}): Promise<void> {
  const file = log.open(options)
  await file.append({ records: records(count) })
  await file.close()
}

/** The files of a log without its lock, by name. */
function contents({ folder }: Pick<Log, 'folder'>): Record<string, string> {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'audit.lock')
    .map(({ name }) => name)
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** The log that was set aside, if one was, and the reason that the new log tells. */
function refused(log: Log) {
  const [folder] = readdirSync(log.folder).filter((name) => name.startsWith('audit.refused-'))
  if (folder === undefined) return undefined
  const reason: unknown = JSON.parse(log.lines()[0] ?? '').attributes.refused_because
  return { reason, kept: contents({ folder: join(log.folder, folder) }) }
}

const notesOf = ({ checkpoints }: Log) => splitNotes(readFileSync(checkpoints, 'utf8')).notes
const lastNote = (log: Log) => notesOf(log).at(-1)?.note ?? ''
const sizeOf = (log: Log, note: string) => parseCheckpoint(log.verifier.open(note) ?? '')?.size ?? 0
const checkpointSizes = (log: Log) => notesOf(log).map(({ note }) => sizeOf(log, note))

/** Removes the checkpoints of more lines. */
function cutCheckpoints(log: Log, size: number): void {
  const kept = notesOf(log).filter(({ note }) => sizeOf(log, note) <= size)
  writeFileSync(log.checkpoints, kept.map(({ note }) => note).join('\n'))
}

function copyLog(from: Log, to: Log, { lines }: { readonly lines: number }): void {
  writeFileSync(to.file, `${from.lines().slice(0, lines).join('\n')}\n`)
  for (const key of ['checkpoints', 'head'] as const) copyFileSync(from[key], to[key])
}

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
  expect(lines[1]).toMatch(/^\{"seq":1,"prev":"[0-9a-f]{64}","written":"[0-9T:.-]+Z","event_type":/)
  expect(lines[2]).toMatch(/^\{"seq":2,"prev":"[0-9a-f]{64}","event_type":/)
  expect(linked(lines)).toBe(true)
  expect(await log.verify()).toEqual({ faults: [], first: 0, size: 3, sealedSize: 3, matching: 1 })
  expect(statSync(log.file).mode & 0o777).toBe(0o600)
})

it('writes a checkpoint before more than 1,000 lines have none, and at the end', async () => {
  const log = sealedLog()
  const file = log.open()
  for (let n = 0; n < 2_200; n += 200) await file.append({ records: records(200, n) })
  await file.close()
  expect(checkpointSizes(log)).toEqual([801, 1801, 2201])
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
  cutCheckpoints(log, at)
  writeFileSync(log.head, lastNote(log))
  const again = log.open()
  await again.append({ records: records(1) })
  await again.close()
  expect(await log.verify()).toMatchObject({ faults: [], size: at + 2 })
})

it.each([
  [
    'a changed line',
    (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('r-1', 'r-9')),
    'audit.jsonl is broken at seq 3',
  ],
  [
    'a cut end',
    (file: string) => truncateSync(file, 0),
    'audit.checkpoints has a checkpoint of 4 lines, and only 0 are there',
  ],
  [
    'a line without a seal',
    (file: string) => writeFileSync(file, '{"a":1}\n'),
    'the file has lines without a seal; move it away',
  ],
] as const)('sets a log with %s aside and begins a new one', async (_name, change, reason) => {
  const log = sealedLog()
  await write(log, 3)
  change(log.file)
  const before = contents(log)
  await write(log, 1)
  expect(refused(log)).toEqual({ reason, kept: before })
  expect(log.lines()).toHaveLength(2)
  expect(await log.verify()).toMatchObject({ faults: [], first: 0, size: 2, sealedSize: 2 })
})

it('does not sign the lines of a log that was cut to an earlier checkpoint, with its checkpoints', async () => {
  const log = sealedLog()
  await write(log, 3)
  const early = readFileSync(log.file)
  await write(log, 3)
  writeFileSync(log.file, early)
  cutCheckpoints(log, 4)
  const reason = 'the head file has a checkpoint of 8 lines, and only 4 are there'
  const { faults } = await log.verify()
  expect(faults).toMatchObject([{ kind: 'cut', detail: 'the key has signed 8 lines, and 4 are there' }])
  const before = contents(log)
  await write(log, 1)
  expect(refused(log)).toEqual({ reason, kept: before })
})

it('does not sign changed lines after a cut of the checkpoints', async () => {
  const log = sealedLog()
  await write(log, 3)
  const early = readFileSync(log.checkpoints)
  await write(log, 3)
  // A forger without the key chains other lines of the same number.
  const other = sealedLog(log.pem)
  copyLog(log, other, { lines: 4 })
  writeFileSync(other.checkpoints, early)
  rmSync(other.head)
  await write(other, 3)
  copyFileSync(other.file, log.file)
  writeFileSync(log.checkpoints, early)
  expect((await log.verify()).faults).toMatchObject([{ kind: 'changed line', line: 8 }])
  await write(log, 1)
  expect(refused(log)?.reason).toBe('audit.jsonl contradicts the checkpoint of 8 lines')
})

it('does not go on after a head file that the key has not signed', async () => {
  const log = sealedLog()
  await write(log, 3)
  const stranger = sealedLog()
  await write(stranger, 3)
  copyFileSync(stranger.head, log.head)
  await write(log, 1)
  expect(refused(log)?.reason).toBe('the head file is no checkpoint of this key')
})

it.each([
  [1_000, 60_000, undefined],
  [1_001, 0, 'no checkpoint covers the last 1001 lines, and a writer leaves at most 1000'],
  [3, 60_001, 'no checkpoint covers the last 3 lines, which are older than a minute'],
])('judges %i lines without a checkpoint after %i ms', async (count, age, reason) => {
  const log = sealedLog()
  const then = new Date()
  const now = () => then
  await write(log, 3, { now })
  const early = readFileSync(log.checkpoints)
  // The opened record is one of them.
  for (let n = 1; n < count; n += 500) await write(log, Math.min(500, count - n) - (n > 1 ? 1 : 0), { now })
  writeFileSync(log.checkpoints, early)
  writeFileSync(log.head, early)
  const later = new Date(then.getTime() + age)
  const { faults, size, sealedSize } = await log.verifyAt(later)
  expect(size - sealedSize).toBe(count)
  expect(faults).toEqual(
    reason === undefined ? [] : [{ kind: 'uncovered lines', file: log.file, line: 5, detail: reason }],
  )
  await write(log, 1, { now: () => later })
  expect(refused(log)?.reason).toBe(reason)
  expect((await log.verifyAt(later)).faults).toEqual([])
})

it('signs the lines of a killed process at once, so that they do not get too old', async () => {
  const log = sealedLog()
  await write(log, 3)
  const early = readFileSync(log.checkpoints)
  await write(log, 3)
  writeFileSync(log.checkpoints, early)
  writeFileSync(log.head, early)
  const file = log.open()
  await file.open()
  expect(await log.verify()).toMatchObject({ faults: [], size: 9, sealedSize: 8 })
  await file.close()
})

it('goes on with its own last checkpoint in mind after somebody has cut all files', async () => {
  const log = sealedLog()
  await write(log, 3)
  const early = contents(log)
  const file = log.open()
  await file.append({ records: records(3) })
  await file.checkpoint()
  for (const [name, content] of Object.entries(early)) writeFileSync(join(log.folder, name), content)
  await expect(file.append({ records: records(1) })).rejects.toThrow('another process')
  await file.append({ records: records(1) })
  await file.close()
  expect(refused(log)?.reason).toBe('this process has a checkpoint of 8 lines, and only 4 are there')
  expect(JSON.parse(log.lines()[1] ?? '').lost).toBe(1)
})

it('keeps the head file elsewhere, and leaves it there under another name when a log is set aside', async () => {
  const log = sealedLog()
  const other = sealedLog()
  const headFile = join(other.folder, 'acme.head')
  await write(log, 3, { headFile })
  expect(readFileSync(headFile, 'utf8')).toBe(lastNote(log))
  expect(contents(log)).not.toHaveProperty('audit.head')
  for (const name of readdirSync(log.folder)) rmSync(join(log.folder, name))
  await write(log, 1, { headFile })
  const mark = /^audit\.(refused-.*)$/.exec(readdirSync(log.folder).join('\n').split('\n').at(-1) ?? '')?.[1]
  expect(readdirSync(other.folder).toSorted()).toEqual(['acme.head', `acme.head.${mark}`])
  expect(refused(log)?.reason).toBe('the head file has a checkpoint of 4 lines, and only 0 are there')
})

it('loses no record when the head file cannot be written, and writes it when it can', async () => {
  const log = sealedLog()
  const place = join(log.folder, 'volume')
  const warnings: string[] = []
  const file = log.open({ headFile: join(place, 'head'), warn: (message) => warnings.push(message) })
  await file.append({ records: records(1) })
  await file.checkpoint()
  await file.append({ records: records(1) })
  await file.checkpoint()
  expect(file.isHeadFailing).toBe(true)
  expect(warnings).toEqual(['the head file of the audit log could not be written'])
  mkdirSync(place)
  await file.append({ records: records(1) })
  await file.close()
  expect(file.isHeadFailing).toBe(false)
  expect(readFileSync(join(place, 'head'), 'utf8')).toBe(lastNote(log))
  expect(await log.verify()).toMatchObject({ faults: [], size: 4 })
})

it('writes a batch of more than 1,000 records in parts, each with its checkpoint', async () => {
  const log = sealedLog()
  await write(log, 2_500)
  expect(checkpointSizes(log)).toEqual([1, 1001, 2001, 2501])
})

it('sets closed files, bodies and torn lines aside with their log, and tells it in the new one', async () => {
  const log = sealedLog()
  const file = log.open({ rotate: { maxBytes: 1_000 } })
  const bodies = [{ request_id: 'r-0', body_sha256: '0', body: 'b' }]
  for (let n = 0; n < 3; n += 1) await file.append({ records: records(2, n), bodies })
  await file.close()
  writeFileSync(join(log.folder, 'audit.torn-2'), '{"seq":2')
  writeFileSync(join(log.folder, 'audit-notes.jsonl'), 'another file')
  writeFileSync(log.file, '{"a":1}\n')
  const before = readdirSync(log.folder).filter((name) => !['audit.lock', 'audit-notes.jsonl'].includes(name))
  const again = log.open()
  await again.append({ records: records(1) })
  expect(again.hasRefusedLog).toBe(true)
  await again.close()
  expect(Object.keys(refused(log)?.kept ?? {})).toEqual(before)
  expect(before.filter((name) => name.endsWith('.bodies')).length).toBeGreaterThan(1)
  const [folder] = readdirSync(log.folder).filter((name) => name.startsWith('audit.refused-'))
  expect(JSON.parse(log.lines()[0] ?? '')).toMatchObject({
    seq: 0,
    attributes: {
      refused_log: folder,
      refused_because: 'the file has lines without a seal; move it away',
    },
  })
  const next = log.open()
  await next.open()
  expect(next.hasRefusedLog).toBe(true)
  await next.close()
  rmSync(join(log.folder, folder ?? ''), { recursive: true })
  const last = log.open()
  await last.open()
  expect(last.hasRefusedLog).toBe(false)
  await last.close()
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
