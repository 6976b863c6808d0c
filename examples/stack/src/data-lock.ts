import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The folder with the data of a stack is in use by another one; the message names a way out. */
export class DataInUseError extends Error {
  override readonly name = 'DataInUseError'
}

/** Keeps other stacks out of a folder. It ends with this process, however that ends: it is a lock of the kernel. */
export function lockData(folder: string, command: (options: string) => string): () => void {
  const holder = new DatabaseSync(join(folder, 'lock'))
  try {
    holder.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    holder.close()
    const advice = `Start it with ${command('--data OTHER')} or ${command('--memory')}.`
    throw new DataInUseError(`${folder} is in use by another stack\n${advice}`, { cause })
  }
  return () => holder.close()
}
