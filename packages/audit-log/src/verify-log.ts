import { basename } from 'node:path'
import { type Checkpoint, type PlacedNote, parseCheckpoint, splitNotes } from './checkpoint.ts'
import { leafHash, sha256Hex, TreeEdge } from './merkle-tree.ts'
import { readOpened } from './opened-record.ts'
import { isJsonObject, type LineHead, NO_LINE, readHead, readLines } from './sealed-line.ts'
import type { NoteVerifier } from './signed-note.ts'
import { uncoveredFault } from './uncovered-lines.ts'

/** The kinds of faults of a log. */
export type LogFaultKind =
  | 'changed line'
  | 'cut'
  | 'insertion'
  | 'reordering'
  | 'forged checkpoint'
  | 'contradicting checkpoints'
  | 'uncovered lines'

/** A place where a log is not as it was written. */
export interface LogFault {
  readonly kind: LogFaultKind
  readonly file: string
  /** The line of the file, from 1. */
  readonly line: number
  readonly detail: string
}

/** A file of checkpoints with its content. */
export interface CheckpointFile {
  readonly file: string
  readonly content: string
}

/** The files of a log and the key that has to have signed it. */
export interface VerifyOptions {
  /** Read in the order of their names. */
  readonly files: readonly string[]
  readonly verifier: NoteVerifier
  /** The checkpoints of the log, its head file and those of its anchor. */
  readonly checkpoints: readonly CheckpointFile[]
  /** The time of the verification; now by default. */
  readonly now?: Date | undefined
}

/** The result of a verification. */
export interface LogReport {
  readonly faults: readonly LogFault[]
  /** The number of the first line, from 0; more than 0 when earlier files are not given. */
  readonly first: number
  /** The number after the last line. */
  readonly size: number
  /** The lines that the last matching checkpoint covers. */
  readonly sealedSize: number
  /** The checkpoints that match the lines, each counted once. */
  readonly matching: number
}

/** Verifies the lines of a log against each other and against its checkpoints. */
export async function verifyLog(options: VerifyOptions): Promise<LogReport> {
  const { files, verifier, checkpoints, now = new Date() } = options
  const known = new KnownCheckpoints(verifier)
  for (const file of checkpoints) known.read(file)
  const reader = new LogReader(verifier, known)
  for (const file of files.toSorted(byName)) {
    reader.begin(file)
    for await (const { lines, rest } of readLines(file)) {
      for (const line of lines) reader.take(line)
      if (rest !== undefined && rest.length > 0) reader.unfinished()
    }
  }
  return reader.end(now)
}

/** The order of the names of a log's files is that of their lines. */
export function byName(one: string, other: string): number {
  return basename(one) < basename(other) ? -1 : 1
}

interface KnownCheckpoint extends Checkpoint {
  readonly file: string
  readonly line: number
  /** Whether it is the head of the lines; undefined until they are read. */
  matches?: boolean
}

/** The signed checkpoints, by size. */
class KnownCheckpoints {
  readonly faults: LogFault[] = []
  readonly bySize = new Map<number, KnownCheckpoint[]>()
  readonly #verifier: NoteVerifier

  constructor(verifier: NoteVerifier) {
    this.#verifier = verifier
  }

  get all(): KnownCheckpoint[] {
    return [...this.bySize.values()].flat()
  }

  read({ file, content }: CheckpointFile): void {
    const { notes, wholeBytes } = splitNotes(content)
    for (const note of notes) this.#add(file, note)
    const last = notes.at(-1)
    const line = last === undefined ? 1 : last.line + last.note.split('\n').length
    if (Buffer.from(content).subarray(wholeBytes).toString().trim() !== '')
      this.faults.push({ kind: 'cut', file, line, detail: 'the last checkpoint is not complete' })
  }

  #add(file: string, { note, line }: PlacedNote): void {
    const text = this.#verifier.open(note)
    const head = text === undefined ? undefined : parseCheckpoint(text)
    if (head === undefined || head.origin !== this.#verifier.name) {
      this.faults.push({ kind: 'forged checkpoint', file, line, detail: 'the key has not signed it' })
      return
    }
    const same = this.bySize.get(head.size) ?? []
    const other = same.find(({ root }) => !root.equals(head.root))
    if (other !== undefined)
      this.faults.push(contradiction({ ...head, file, line }, `${other.file}:${other.line}`))
    this.bySize.set(head.size, [...same, { ...head, file, line }])
  }
}

function contradiction({ file, line, size }: KnownCheckpoint, other: string): LogFault {
  const detail = `the key has signed two different logs of ${size} lines: see ${other}`
  return { kind: 'contradicting checkpoints', file, line, detail }
}

/** A line that was read. */
interface SeenLine {
  readonly file: string
  readonly line: number
  readonly bytes: Buffer
  /** Its hash, as the next line has to carry it. */
  readonly hash: string
  /** Its number in the log; that of its place where it does not tell. */
  readonly seq: number
}

const NOTHING: SeenLine = { file: '', line: 0, bytes: Buffer.alloc(0), hash: NO_LINE, seq: -1 }

/** Reads the lines of a log in order and finds where they do not follow each other. */
class LogReader {
  readonly #verifier: NoteVerifier
  readonly #known: KnownCheckpoints
  readonly #faults: LogFault[] = []
  /** Lines that were not at their place, by number. */
  readonly #missing = new Map<number, LogFault>()
  #file = ''
  #line = 0
  #first: number | undefined
  #before = NOTHING
  #beforeThat = NOTHING
  #edge = new TreeEdge()
  /** Whether the tree is that of the lines as they were written. */
  #isWhole = true
  #sealedSize = 0
  /** The first line after the last matching checkpoint. */
  #uncovered: SeenLine | undefined
  /** The last line that a checkpoint covers, and the first line up to which the lines contradict one. */
  #lastMatch: SeenLine | undefined
  #mismatch: { readonly seen: SeenLine; readonly since: SeenLine | undefined } | undefined
  /** A line whose `prev` is not the hash of the line before: the next line tells which of the two was changed. */
  #broken: { readonly line: SeenLine; readonly edge: TreeEdge } | undefined
  /** A line that does not begin as lines do. */
  #odd: SeenLine | undefined
  /** Whether the line before was found changed, so that its hash is not the one that the next line carries. */
  #isExplained = false

  constructor(verifier: NoteVerifier, known: KnownCheckpoints) {
    this.#verifier = verifier
    this.#known = known
  }

  begin(file: string): void {
    this.#file = file
    this.#line = 0
  }

  take(bytes: Buffer): void {
    this.#line += 1
    const head = readHead(bytes)
    const seq = head?.seq ?? this.#before.seq + 1
    const seen = { file: this.#file, line: this.#line, bytes, hash: sha256Hex(bytes), seq }
    if (head === undefined) this.#takeOdd(seen)
    else if (this.#odd !== undefined) this.#afterOdd(seen, head)
    else if (this.#first === undefined) this.#start(seen, head)
    else this.#follow(seen, head)
  }

  /** The bytes after the last newline of a file. */
  unfinished(): void {
    this.#line += 1
    this.#isWhole = false
    this.#fault('cut', { file: this.#file, line: this.#line }, 'the line is not complete')
  }

  end(now: Date): LogReport {
    this.#endOdd()
    this.#endBroken()
    // Two lines that became one have no next line that could tell.
    if (this.#before !== NOTHING && !isJsonObject(this.#before.bytes)) this.#changed(this.#before)
    this.#judgeCheckpoints()
    this.#judgeUncovered(now)
    const faults = [...this.#known.faults, ...this.#faults]
    // The head file and an anchor repeat checkpoints.
    const matching = new Set(this.#known.all.filter(({ matches }) => matches).map((head) => head.size)).size
    const size = this.#edge.size
    return { faults, first: this.#first ?? 0, size, sealedSize: this.#sealedSize, matching }
  }

  #start(seen: SeenLine, { seq, prev }: LineHead): void {
    this.#first = seq
    if (seq === 0) {
      this.#follow(seen, { seq, prev })
      return
    }
    const edge = readOpened(seen.bytes, seq, this.#verifier)
    if (edge === undefined) {
      this.#isWhole = false
      this.#fault(
        'cut',
        seen,
        `the log begins with seq ${seq}, and the line has no signed checkpoint of the lines before`,
      )
    }
    this.#edge = edge ?? this.#edge
    if (edge !== undefined) this.#compare(edge, undefined)
    this.#accept(seen)
  }

  #follow(seen: SeenLine, { seq, prev }: LineHead): void {
    const expected = this.#before.seq + 1
    const isLinked = prev === this.#before.hash
    if (seq === expected && (isLinked || this.#isExplained)) {
      this.#resolveBroken('before')
      this.#isExplained = false
      this.#accept(seen)
      return
    }
    if (seq === expected) {
      this.#breakAt(seen)
      return
    }
    if (isLinked) {
      this.#changed(seen)
      this.#isExplained = true
      this.#accept({ ...seen, seq: expected })
      return
    }
    this.#misplaced(seen, { seq, prev })
  }

  #breakAt(seen: SeenLine): void {
    const former = this.#broken
    if (former !== undefined) {
      // Neither its `prev` nor its hash fits: this line was changed, not its neighbours.
      this.#resolveBroken('itself')
      this.#accept(seen)
      return
    }
    this.#broken = { line: seen, edge: this.#edge.copy() }
    this.#accept(seen)
  }

  #resolveBroken(which: 'before' | 'itself'): void {
    if (this.#broken === undefined) return
    const { line } = this.#broken
    this.#broken = undefined
    this.#changed(which === 'itself' || this.#beforeThat === NOTHING ? line : this.#beforeThat)
  }

  #misplaced(seen: SeenLine, { seq, prev }: LineHead): void {
    this.#resolveBroken('before')
    const expected = this.#before.seq + 1
    this.#isWhole = false
    if (seen.hash === this.#before.hash) {
      this.#fault('insertion', seen, 'it is the line before once more')
      return
    }
    if (seq === this.#before.seq && prev === this.#beforeThat.hash) {
      this.#fault(
        'insertion',
        this.#before,
        `the next line has the same seq ${seq} and follows the line before`,
      )
      this.#before = this.#beforeThat
      this.#accept(seen)
      return
    }
    if (seq < expected) {
      this.#earlier(seen, seq)
      return
    }
    if (!isJsonObject(this.#before.bytes)) this.#changed(this.#before)
    else this.#miss(seen, expected)
    this.#accept(seen)
  }

  /** A line that comes after a later one. */
  #earlier(seen: SeenLine, seq: number): void {
    const gap = this.#missing.get(seq)
    if (gap === undefined) {
      this.#fault('insertion', seen, `seq ${seq} was there before`)
      return
    }
    const detail = `seq ${seq} comes after seq ${this.#before.seq}`
    const place = this.#faults.indexOf(gap)
    if (place !== -1)
      this.#faults[place] = { ...gap, kind: 'reordering', detail: `${detail}, in line ${seen.line}` }
  }

  #miss(seen: SeenLine, from: number): void {
    const last = seen.seq - 1
    const which = from === last ? `seq ${from} is missing` : `seq ${from} to ${last} are missing`
    const gap = this.#fault('cut', seen, `${which} before this line`)
    for (let seq = from; seq <= Math.min(last, from + 10_000); seq += 1) this.#missing.set(seq, gap)
  }

  #takeOdd(seen: SeenLine): void {
    this.#first ??= 0
    if (this.#odd === undefined) {
      this.#resolveBroken('before')
      this.#odd = seen
      return
    }
    this.#changed(this.#odd)
    this.#odd = seen
  }

  /** The line after an odd one tells whether that one was changed or put in. */
  #afterOdd(seen: SeenLine, head: LineHead): void {
    const odd = this.#odd ?? seen
    this.#odd = undefined
    const expected = this.#before.seq + 1
    if (head.seq === expected && head.prev === this.#before.hash) {
      this.#fault('insertion', odd, 'the lines around it follow each other')
      this.#isWhole = false
      this.#accept(seen)
      return
    }
    const isSplit = head.seq === expected && this.#before !== NOTHING && !isJsonObject(this.#before.bytes)
    this.#changed(isSplit ? this.#before : odd)
    if (head.seq > expected + 1) this.#miss(seen, expected + 1)
    this.#isExplained = false
    this.#accept(seen)
  }

  #endOdd(): void {
    if (this.#odd !== undefined && !(this.#before !== NOTHING && !isJsonObject(this.#before.bytes)))
      this.#changed(this.#odd)
  }

  /** The last line has no next one; with the right `prev` in it, its checkpoint tells. */
  #endBroken(): void {
    if (this.#broken === undefined) return
    const { line, edge } = this.#broken
    const text = line.bytes
      .toString('latin1')
      .replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${this.#beforeThat.hash}"`)
    edge.append(leafHash(Buffer.from(text, 'latin1')))
    const root = edge.root()
    const isItself = this.#known.bySize.get(edge.size)?.some((head) => head.root.equals(root)) ?? false
    this.#resolveBroken(isItself ? 'itself' : 'before')
  }

  #accept(seen: SeenLine): void {
    this.#beforeThat = this.#before
    this.#before = seen
    this.#edge.append(leafHash(seen.bytes))
    if (this.#isWhole && this.#broken === undefined) this.#compare(this.#edge, seen)
    if (this.#sealedSize === this.#edge.size) this.#uncovered = undefined
    else this.#uncovered ??= seen
  }

  #compare(edge: TreeEdge, seen: SeenLine | undefined): void {
    const heads = this.#known.bySize.get(edge.size)
    if (heads === undefined || this.#faults.length > 0) return
    const root = edge.root()
    for (const head of heads) {
      head.matches = head.root.equals(root)
      if (head.matches) this.#sealedSize = head.size
    }
    if (heads.some(({ matches }) => matches)) this.#lastMatch = seen
    else if (seen !== undefined) this.#mismatch ??= { seen, since: this.#lastMatch }
  }

  #judgeCheckpoints(): void {
    const all = this.#known.all
    for (const head of all.filter(({ matches }) => matches === false)) {
      const later = all.find(({ size, matches }) => matches && size >= head.size)
      if (later !== undefined && later.size !== head.size)
        this.#faults.push(contradiction(head, `${later.file}:${later.line}, which matches the lines`))
    }
    if (this.#mismatch !== undefined && this.#mismatch.seen.seq >= this.#sealedSize) this.#rewritten()
    const end = this.#edge.size
    const beyond = all.toSorted((one, other) => one.size - other.size).findLast(({ size }) => size > end)
    if (beyond === undefined || this.#faults.length > 0) return
    const place = { file: this.#file, line: this.#line + 1 }
    this.#fault('cut', place, `the key has signed ${beyond.size} lines, and ${end} are there`)
  }

  /** Lines that no key has signed prove nothing, and only the newest ones may be such. */
  #judgeUncovered(now: Date): void {
    const first = this.#uncovered
    if (first === undefined || this.#faults.length > 0 || this.#known.faults.length > 0) return
    const detail = uncoveredFault({ count: this.#edge.size - first.seq, first: first.bytes }, now)
    if (detail !== undefined) this.#fault('uncovered lines', first, detail)
  }

  /** The chain is whole, so that a line before the checkpoint was changed together with all that follow, or the last. */
  #rewritten(): void {
    const { seen, since } = this.#mismatch ?? { seen: this.#before, since: undefined }
    const from = since === undefined ? 'the beginning' : `${since.file}:${since.line}`
    this.#changed(
      seen,
      `the lines after ${from} up to this one do not have the root that the key has signed for ${seen.seq + 1} lines`,
    )
  }

  #changed(place: Place, detail = 'the line is not the one that was written'): void {
    this.#isWhole = false
    this.#fault('changed line', place, detail)
  }

  #fault(kind: LogFaultKind, { file, line }: Place, detail: string): LogFault {
    const fault = { kind, file, line, detail }
    this.#faults.push(fault)
    return fault
  }
}

interface Place {
  readonly file: string
  readonly line: number
}
