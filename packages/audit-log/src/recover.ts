import { open, readFile, truncate, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { AuditLogError } from './audit-log-error.ts'
import { splitNotes } from './checkpoint.ts'
import { headOf, readText } from './head-file.ts'
import { type LogFiles, newestClosed } from './log-files.ts'
import { leafHash, sha256Hex, TreeEdge, type TreeHead } from './merkle-tree.ts'
import { readOpened, type TornLine } from './opened-record.ts'
import { NO_LINE, readHead, readLines } from './sealed-line.ts'
import { createNoteVerifier, type NoteSigner, type NoteVerifier } from './signed-note.ts'
import { type UncoveredLines, uncoveredFault } from './uncovered-lines.ts'

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

/** A log to continue. */
export interface RecoverOptions {
  readonly files: LogFiles
  readonly signer: NoteSigner
  /** The last checkpoint that this process has written itself. */
  readonly ownCheckpoint: string | undefined
  readonly now: Date
}

/**
 * Reads the end of a sealed log and repairs what a killed process left: an unfinished line, an unfinished checkpoint.
 * Throws an `AuditLogError` for a log that cannot be the one that was written: the next checkpoint would sign it.
 */
export async function recoverLog({ files, signer, ownCheckpoint, now }: RecoverOptions): Promise<LogEnd> {
  const verifier = createNoteVerifier(signer.verifierKey)
  const newest = await newestCheckpoint({ files, verifier, ownCheckpoint })
  const known = { verifier, sealed: newest.heads }
  const current = await readEnd(files.file, known)
  // Killed between closing one file and opening the next: the tree goes on from the closed one.
  const former = current.isEmpty ? await newestClosed(files) : undefined
  const tree = former === undefined ? current : await readEnd(former, known)
  assertWhole(tree, newest.heads)
  const fault = uncoveredFault(tree.uncovered, now)
  if (fault !== undefined) throw new AuditLogError(fault)
  const torn = await moveTorn(files, current, tree.edge.size)
  return {
    edge: tree.edge,
    first: current.isEmpty ? tree.edge.size : current.first,
    prev: tree.prev,
    bytes: current.wholeBytes,
    lastCheckpoint: newest.note,
    sealedSize: newest.size,
    torn,
  }
}

function assertWhole({ edge }: FileEnd, heads: readonly SignedHead[]): void {
  const beyond = heads.find(({ size }) => size > edge.size)
  if (beyond !== undefined)
    throw new AuditLogError(
      `${beyond.source} has a checkpoint of ${beyond.size} lines, and only ${edge.size} are there`,
    )
}

interface SignedHead extends TreeHead {
  /** The place of the checkpoint, for messages. */
  readonly source: string
}

/** Collects the newest checkpoints of all places that have one. */
async function newestCheckpoint({
  files,
  verifier,
  ownCheckpoint,
}: Pick<RecoverOptions, 'files' | 'ownCheckpoint'> & { readonly verifier: NoteVerifier }) {
  const name = basename(files.checkpoints)
  const notes = [
    { note: await recoverCheckpoints(files.checkpoints), source: name, subject: `${name} ends with` },
    { note: await readText(files.head), source: 'the head file', subject: 'the head file is' },
    { note: ownCheckpoint ?? '', source: 'this process', subject: 'this process has' },
  ].filter(({ note }) => note !== '')
  const heads = notes.map(({ note, source, subject }) => ({
    ...headOf(note, verifier, subject),
    note,
    source,
  }))
  const last = heads.toSorted((one, other) => one.size - other.size).at(-1)
  return { heads, note: last?.note, size: last?.size ?? 0 }
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
  readonly uncovered: UncoveredLines
}

interface Known {
  readonly verifier: NoteVerifier
  readonly sealed: readonly TreeHead[]
}

async function readEnd(file: string, known: Known): Promise<FileEnd> {
  const reader = new EndReader(file, known)
  let rest: Buffer | undefined
  for await (const chunk of readLinesOf(file)) {
    for (const line of chunk.lines) reader.take(line)
    rest = chunk.rest
  }
  const { edge = new TreeEdge(), first, prev, wholeBytes, uncovered } = reader
  return { edge, first, prev, wholeBytes, rest, isEmpty: reader.edge === undefined, uncovered }
}

/** Rebuilds the tree of a file. */
class EndReader {
  readonly #file: string
  readonly #known: Known
  readonly #sealedSize: number
  edge: TreeEdge | undefined
  /** The lines after the last checkpoint. */
  uncovered: UncoveredLines = { count: 0, first: undefined }
  first = 0
  prev = NO_LINE
  wholeBytes = 0

  constructor(file: string, known: Known) {
    this.#file = basename(file)
    this.#known = known
    this.#sealedSize = Math.max(0, ...known.sealed.map(({ size }) => size))
  }

  take(line: Buffer): void {
    const head = readHead(line)
    const edge = this.edge ?? this.#start(line, head?.prev)
    if (head?.seq !== edge.size || head.prev !== this.prev)
      throw new AuditLogError(`${this.#file} is broken at seq ${edge.size}`)
    edge.append(leafHash(line))
    this.prev = sha256Hex(line)
    this.wholeBytes += line.length + 1
    if (edge.size > this.#sealedSize) {
      const { count, first = Buffer.from(line) } = this.uncovered
      this.uncovered = { count: count + 1, first }
    }
    for (const { size, root } of this.#known.sealed)
      if (edge.size === size && !edge.root().equals(root))
        throw new AuditLogError(`${this.#file} contradicts the checkpoint of ${size} lines`)
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

/** The last checkpoint of a file; empty when it has none. */
async function recoverCheckpoints(file: string): Promise<string> {
  const content = await readText(file)
  const { notes, wholeBytes } = splitNotes(content)
  // The next checkpoint covers the lines of an unfinished one.
  if (wholeBytes < Buffer.byteLength(content)) await truncate(file, wholeBytes)
  return notes.at(-1)?.note ?? ''
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
