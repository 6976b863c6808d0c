import { open, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AuditLogError } from './audit-log-error.ts'
import { parseCheckpoint, splitNotes } from './checkpoint.ts'
import { leafHash, sha256Hex, TreeEdge } from './merkle-tree.ts'
import { readOpened, type TornLine } from './opened-record.ts'
import { NO_LINE, readHead, readLines } from './sealed-line.ts'
import { createNoteVerifier, type NoteSigner, type NoteVerifier } from './signed-note.ts'

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
  readonly bodies: string
  /** The empty file that its writer keeps locked. */
  readonly lock: string
  /** The name of a file that the log has closed. */
  closed(mark: string, extension: string): string
  /** The side file of the unfinished line with a number. */
  torn(seq: number | string): string
}

/** The names of the files of a log: `audit.jsonl`, `audit.checkpoints`, `audit.bodies` and `audit-<first line>.jsonl`. */
export function logFiles(file: string): LogFiles {
  const stem = file.replace(/\.jsonl$/, '')
  return {
    file,
    checkpoints: `${stem}.checkpoints`,
    bodies: `${stem}.bodies`,
    lock: `${stem}.lock`,
    closed: (mark, extension) => `${stem}-${mark}${extension}`,
    torn: (seq) => `${stem}.torn-${seq}`,
  }
}

/** The end of a log, from which it goes on. */
export interface LogEnd {
  readonly edge: TreeEdge
  /** The number of the first line of the current file. */
  readonly first: number
  /** The hash of the last line. */
  readonly prev: string
  /** The bytes of the current file. */
  readonly bytes: number
  readonly lastCheckpoint: string | undefined
  readonly sealedSize: number
  readonly torn: TornLine | undefined
}

/** Reads the end of a sealed log and repairs what a killed process left: an unfinished line, an unfinished checkpoint. */
export async function recoverLog(files: LogFiles, signer: NoteSigner): Promise<LogEnd> {
  const verifier = createNoteVerifier(signer.verifierKey)
  const last = await recoverCheckpoints(files.checkpoints, verifier)
  const current = await readEnd(files.file, { verifier, sealed: last?.head })
  // Killed between closing one file and opening the next: the tree goes on from the closed one.
  const former = current.isEmpty ? await newestClosed(files) : undefined
  const tree = former === undefined ? current : await readEnd(former, { verifier, sealed: last?.head })
  if (tree.edge.size < (last?.head.size ?? 0))
    throw new AuditLogError(
      `${basename(files.checkpoints)} has a checkpoint of ${last?.head.size} lines, and only ${tree.edge.size} are there`,
    )
  const torn = await moveTorn(files, current, tree.edge.size)
  return {
    edge: tree.edge,
    first: current.isEmpty ? tree.edge.size : current.first,
    prev: tree.prev,
    bytes: current.wholeBytes,
    lastCheckpoint: last?.note,
    sealedSize: last?.head.size ?? 0,
    torn,
  }
}

/** The bytes of a file without a seal; an unfinished last line is moved to a side file. */
export async function recoverPlain(
  files: LogFiles,
  mark: string,
): Promise<{ bytes: number; torn?: TornLine | undefined }> {
  let wholeBytes = 0
  let rest: Buffer | undefined
  for await (const chunk of readLinesOf(files.file)) {
    for (const line of chunk.lines) wholeBytes += line.length + 1
    rest = chunk.rest
  }
  const torn = await moveTorn(files, { wholeBytes, rest }, mark)
  return { bytes: wholeBytes, torn }
}

interface FileEnd {
  readonly first: number
  readonly edge: TreeEdge
  readonly prev: string
  readonly wholeBytes: number
  readonly rest: Buffer | undefined
  readonly isEmpty: boolean
}

interface Known {
  readonly verifier: NoteVerifier
  readonly sealed: { readonly size: number; readonly root: Buffer } | undefined
}

async function readEnd(file: string, known: Known): Promise<FileEnd> {
  const reader = new EndReader(file, known)
  let rest: Buffer | undefined
  for await (const chunk of readLinesOf(file)) {
    for (const line of chunk.lines) reader.take(line)
    rest = chunk.rest
  }
  const { edge, first, prev, wholeBytes } = reader
  return { edge: edge ?? new TreeEdge(), first, prev, wholeBytes, rest, isEmpty: edge === undefined }
}

/** Rebuilds the tree of a file. A broken file is not continued: the next checkpoint would sign what was changed. */
class EndReader {
  readonly #file: string
  readonly #known: Known
  edge: TreeEdge | undefined
  first = 0
  prev = NO_LINE
  wholeBytes = 0

  constructor(file: string, known: Known) {
    this.#file = basename(file)
    this.#known = known
  }

  take(line: Buffer): void {
    const head = readHead(line)
    const edge = this.edge ?? this.#start(line, head?.prev)
    if (head?.seq !== edge.size || head.prev !== this.prev)
      throw new AuditLogError(`${this.#file} is broken at seq ${edge.size}`)
    edge.append(leafHash(line))
    this.prev = sha256Hex(line)
    this.wholeBytes += line.length + 1
    const { sealed } = this.#known
    if (edge.size === sealed?.size && !edge.root().equals(sealed.root))
      throw new AuditLogError(`${this.#file} contradicts the checkpoint of ${sealed.size} lines`)
  }

  #start(line: Buffer, prev = NO_LINE): TreeEdge {
    const edge = startOf(line, this.#known.verifier)
    this.edge = edge
    this.first = edge.size
    this.prev = edge.size === 0 ? NO_LINE : prev
    return edge
  }
}

/** The tree before the first line of a file. */
function startOf(line: Buffer, verifier: NoteVerifier): TreeEdge {
  const seq = readHead(line)?.seq
  if (seq === undefined) throw new AuditLogError('the file has lines without a seal; move it away')
  const edge = seq === 0 ? new TreeEdge() : readOpened(line, seq, verifier)
  if (edge === undefined)
    throw new AuditLogError(`the file begins with seq ${seq} and without a checkpoint of this key`)
  return edge
}

async function* readLinesOf(file: string) {
  try {
    yield* readLines(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** The names of closed files have the number of their first line, so that the last in order is the newest. */
async function newestClosed(files: LogFiles): Promise<string | undefined> {
  const folder = dirname(files.file)
  const prefix = basename(files.closed('', ''))
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix))
  const newest = names
    .filter((name) => CLOSED.test(name.slice(prefix.length - 1)))
    .toSorted()
    .at(-1)
  return newest === undefined ? undefined : join(folder, newest)
}

async function recoverCheckpoints(file: string, verifier: NoteVerifier) {
  const content = await readText(file)
  const { notes, wholeBytes } = splitNotes(content)
  // The next checkpoint covers the lines of an unfinished one.
  if (wholeBytes < Buffer.byteLength(content)) await truncate(file, wholeBytes)
  const note = notes.at(-1)?.note
  if (note === undefined) return undefined
  const head = parseCheckpoint(verifier.open(note) ?? '')
  if (head === undefined || head.origin !== verifier.name)
    throw new AuditLogError(`${basename(file)} ends with a checkpoint of another key`)
  return { note, head }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** The side file is on the disk before the line is cut, so that no byte is lost whenever the process ends. */
async function moveTorn(
  files: LogFiles,
  { wholeBytes, rest }: Pick<FileEnd, 'wholeBytes' | 'rest'>,
  mark: number | string,
): Promise<TornLine | undefined> {
  const side = files.torn(mark)
  if (rest === undefined || rest.length === 0) return await tornBefore(side)
  await writeFile(side, rest, { mode: 0o600, flush: true })
  const handle = await open(files.file, 'r+')
  try {
    await handle.truncate(wholeBytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  return { bytes: rest.length, sha256: sha256Hex(rest), file: basename(side) }
}

/** The side file of a process that was killed after it cut the line and before it wrote the record of it. */
async function tornBefore(side: string): Promise<TornLine | undefined> {
  try {
    const bytes = await readFile(side)
    return { bytes: bytes.length, sha256: sha256Hex(bytes), file: basename(side) }
  } catch {
    return undefined
  }
}
