import { AuditLogError } from './audit-log-error.ts'

const SQLITE_BUSY = 5

/**
 * Locks a log for one writer and returns the release. Throws an `AuditLogError` when another writer has the lock, and any
 * other error when there can be none. Node has no file locks, and a file with a process id is wrong after a crash or when
 * ids are reused. SQLite holds a lock of the kernel, which ends with the process in every case.
 */
export function lockLog(file: string, patienceMs: number): () => void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const holder = new DatabaseSync(file, { timeout: patienceMs })
  try {
    holder.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    holder.close()
    if ((cause as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw cause
    throw new AuditLogError('another process writes this audit file; each writer needs a file of its own', {
      cause,
    })
  }
  return () => holder.close()
}
