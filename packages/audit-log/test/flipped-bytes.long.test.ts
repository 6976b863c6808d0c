import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { splitNotes } from '../src/checkpoint.ts'
import { verifyLog } from '../src/verify-log.ts'
import { flipAll } from './flip-bytes.ts'
import { records, sealedLog } from './sealed-log.ts'

it('finds each flipped byte of 1,000 lines, with its line', { timeout: 3_600_000 }, async () => {
  const log = sealedLog()
  const writer = log.open({ rotate: { maxBytes: 5_000 } })
  for (let n = 0; n < 1_000; n += 10) await writer.append({ records: records(10, n) })
  await writer.close()
  const files = log.files()
  const { notes } = splitNotes(readFileSync(log.checkpoints, 'utf8'))
  expect(notes).toHaveLength(files.length)
  for (const [index, file] of files.entries()) {
    // A file can be verified without those before, and the checkpoint of each is written at its end.
    const own = notes.slice(index, index + 2).map(({ note }) => note)
    const checkpoints = [{ file: log.checkpoints, content: own.join('\n') }]
    const verify = () =>
      verifyLog({ files: files.slice(index, index + 2), verifier: log.verifier, checkpoints })
    expect((await verify()).faults).toEqual([])
    expect(await flipAll({ file, wanted: () => true, verify })).toBe(readFileSync(file).length)
  }
})
