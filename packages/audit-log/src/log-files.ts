import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

// After the stem, for example `-000000128000.jsonl`.
const CLOSED = /-\d{12}(?:_\d+)?\.jsonl$/

/** The current file of the log that a file belongs to. */
export function currentFile(file: string): string {
  return file.replace(CLOSED, '.jsonl')
}

/** The files of a log, by the name of its current file. */
export interface LogFiles {
  readonly file: string
  readonly checkpoints: string
  /** The newest checkpoint; beside the log unless it is kept elsewhere. */
  readonly head: string
  readonly bodies: string
  /** The empty file that its writer keeps locked. */
  readonly lock: string
  /** The name of a file that the log has closed. */
  closed(mark: string, extension: string): string
  /** The side file of the unfinished line with a number. */
  torn(seq: number | string): string
}

/** The names of the files of a log: `audit.jsonl`, `audit.checkpoints`, `audit.head`, `audit.bodies` and `audit-<first line>.jsonl`. */
export function logFiles(file: string, headFile?: string): LogFiles {
  const stem = stemOf(file)
  return {
    file,
    checkpoints: `${stem}.checkpoints`,
    head: headFile ?? `${stem}.head`,
    bodies: `${stem}.bodies`,
    lock: `${stem}.lock`,
    closed: (mark, extension) => `${stem}-${mark}${extension}`,
    torn: (seq) => `${stem}.torn-${seq}`,
  }
}

/** The names of closed files have the number of their first line, so that the last in order is the newest. */
export async function newestClosed(files: LogFiles): Promise<string | undefined> {
  const folder = dirname(files.file)
  const names = (await readdir(folder)).filter((name) => isClosed(files, name, CLOSED))
  const newest = names.toSorted().at(-1)
  return newest === undefined ? undefined : join(folder, newest)
}

/** Whether a name in the folder of a log is one of its files with records or checkpoints. */
export function isOfLog(files: LogFiles, name: string): boolean {
  const own = [files.file, files.checkpoints, files.bodies].map((file) => basename(file))
  return (
    own.includes(name) ||
    name.startsWith(basename(files.torn(''))) ||
    isClosed(files, name, /-\d{12}(?:_\d+)?\.(?:jsonl|bodies)$/)
  )
}

/** The beginning of the names of folders with logs that were not continued. */
export function refusedPrefix({ file }: LogFiles): string {
  return `${basename(stemOf(file))}.refused-`
}

function isClosed(files: LogFiles, name: string, pattern: RegExp): boolean {
  const prefix = basename(files.closed('', ''))
  const match = name.startsWith(prefix) ? pattern.exec(name) : null
  return match?.index === prefix.length - 1
}

function stemOf(file: string): string {
  return file.replace(/\.jsonl$/, '')
}
