import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreLockedError } from './store-errors.ts'

// A process that was killed a moment ago may still hold its locks; a living one keeps them for longer than this.
const PATIENCE_MS = 1000

/** Keeps everybody else out of a folder until it is released. */
export interface FolderLock {
  release(): void
}

/**
 * Takes the lock of a folder. Node has no file locks of its own, and a file with a process id is wrong after a crash
 * or when ids are reused. SQLite holds a lock of the kernel, which ends with the process however that ends.
 */
export function lockFolder(folder: string): FolderLock {
  const holder = new DatabaseSync(join(folder, 'lock'), { timeout: PATIENCE_MS })
  try {
    holder.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    holder.close()
    throw new StoreLockedError(`the folder ${folder} is in use by another process or store`, { cause })
  }
  return { release: () => holder.close() }
}
