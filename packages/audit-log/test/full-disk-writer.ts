import { readFileSync } from 'node:fs'
import { AuditFile } from '../src/audit-file.ts'
import { createNoteSigner } from '../src/signed-note.ts'
import { records } from './sealed-log.ts'

// Appends to a log until a write fails, then once more in a new file: `node full-disk-writer.ts FILE KEY NAME`.
const [file = '', key = '', name = ''] = process.argv.slice(2)
const log = new AuditFile({ file, seal: createNoteSigner(name, readFileSync(key)) })
for (let isFull = false; !isFull; )
  await log.append({ records: records(20) }).catch(() => {
    isFull = true
  })
log.rotate = { maxBytes: 1 }
await log.append({ records: records(1) })
await log.close()
