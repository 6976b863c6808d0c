import { readFileSync } from 'node:fs'
import { AuditFile } from '../src/audit-file.ts'
import { createNoteSigner } from '../src/signed-note.ts'
import { records } from './sealed-log.ts'

// Appends to a log until it is killed: `node endless-writer.ts FILE KEY NAME`.
const [file = '', key = '', name = ''] = process.argv.slice(2)
const log = new AuditFile({
  file,
  seal: createNoteSigner(name, readFileSync(key)),
  rotate: { maxBytes: 200_000 },
})
for (let n = 0; ; n += 1) {
  await log.append({ records: records(1 + (n % 90), n) })
  if (n % 10 === 9) process.send?.(n)
}
