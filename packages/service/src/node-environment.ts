import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import type { AuditEmitter } from '@agentic-rest/profile'
import { httpAudit } from './audit/http-audit.ts'
import { jsonLinesAudit } from './audit/json-lines.ts'
import { teeAudit } from './audit/tee-audit.ts'
import { createStore } from './runtime/create-store.ts'
import type { Store, StoreOptions } from './runtime/store.ts'

/** Variables of a process, for example `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** An emitter with an end: what is still under way goes out first. */
export interface ClosableAudit extends AuditEmitter {
  close(): Promise<void>
}

/** The store that the environment names: the server of `DATABASE_URL`, else a database in `DATA_FOLDER`, else memory. */
export function storeFromEnvironment(env: Environment = process.env): Store {
  return createStore(placeOfData(env))
}

function placeOfData(env: Environment): StoreOptions {
  const url = given(env, 'DATABASE_URL')
  if (url !== undefined) return { url }
  const folder = given(env, 'DATA_FOLDER')
  return folder === undefined ? { memory: true } : { folder: join(folder, 'database') }
}

/** Takes records to where the environment says: appended to `AUDIT_FILE`, posted to `RECORDS_URL`, both or neither. */
export function auditFromEnvironment(env: Environment = process.env): ClosableAudit {
  const [file, url] = [given(env, 'AUDIT_FILE'), given(env, 'RECORDS_URL')]
  const lines = file === undefined ? undefined : createWriteStream(file, { flags: 'a' })
  const posted = url === undefined ? undefined : httpAudit({ url })
  const { emit } = teeAudit(lines && jsonLinesAudit(lines), posted)
  return {
    emit,
    async close() {
      await Promise.all([lines && ended(lines), posted?.close()])
    },
  }
}

/** A file that could not be written has told so with every record that it cost. */
function ended(stream: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve()
    else stream.once('close', resolve).end()
  })
}

/** A variable that is empty counts as one that is not set. */
function given(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name]
}
