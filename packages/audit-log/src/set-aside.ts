import { mkdir, readdir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isOfLog, type LogFiles, refusedPrefix } from './log-files.ts'

/** A log that was not continued. */
export interface RefusedLog {
  readonly reason: string
  /** The folder beside the log, with all its files under their names. */
  readonly folder: string
}

/** A log to move out of the way. */
export interface SetAsideOptions {
  readonly files: LogFiles
  readonly mark: string
  readonly reason: string
}

/** Moves the files of a log into a folder of their own, unchanged, so that a new log can begin under the same name. */
export async function setAside({ files, mark, reason }: SetAsideOptions): Promise<RefusedLog> {
  const place = dirname(files.file)
  const folder = await newFolder(join(place, `${refusedPrefix(files)}${mark}`))
  const names = (await readdir(place)).filter((name) => isOfLog(files, name))
  // The checkpoints go last: with them alone a next start refuses the log again.
  const last = basename(files.checkpoints)
  for (const name of names.toSorted((one, other) => Number(one === last) - Number(other === last)))
    await rename(join(place, name), join(folder, name))
  // On a volume of its own it stays there.
  if (dirname(files.head) === place) await renameIfThere(files.head, join(folder, basename(files.head)))
  else await renameIfThere(files.head, `${files.head}.refused-${mark}`)
  return { reason, folder: basename(folder) }
}

/** Whether a log that was set aside is still beside its place. */
export async function hasRefusedLog(files: LogFiles): Promise<boolean> {
  return (await readdir(dirname(files.file))).some((name) => name.startsWith(refusedPrefix(files)))
}

/** Renames a file unless there is none. */
export async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function newFolder(name: string): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const folder = copy === 1 ? name : `${name}_${copy}`
    try {
      await mkdir(folder, { mode: 0o700 })
      return folder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
