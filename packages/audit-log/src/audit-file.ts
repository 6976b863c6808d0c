import { mkdirSync } from 'node:fs'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AnchorQueue } from './anchor-queue.ts'
import { AuditLogError } from './audit-log-error.ts'
import { signCheckpoint } from './checkpoint.ts'
import { writeHeadFile } from './head-file.ts'
import { type LogFiles, logFiles } from './log-files.ts'
import { lockLog } from './log-lock.ts'
import { sha256, sha256Hex, TreeEdge } from './merkle-tree.ts'
import { type OpenedFacts, openedRecord, type TornLine } from './opened-record.ts'
import { type LogEnd, recoverLog, recoverPlain } from './recover.ts'
import { NO_LINE, plainText, sealedText, type WriteFacts } from './sealed-line.ts'
import { hasRefusedLog, type RefusedLog, renameIfThere, setAside } from './set-aside.ts'
import type { NoteSigner } from './signed-note.ts'
import { CHECKPOINT_LINES, CHECKPOINT_MS } from './uncovered-lines.ts'

/** When a log closes its file and goes on in a new one. */
export interface RotateOptions {
  /** The most bytes of a file; a single batch may exceed it. */
  readonly maxBytes?: number | undefined
  /** A new file every day, by UTC. */
  readonly daily?: boolean | undefined
}

/** The options of a file of audit records. */
export interface AuditFileOptions {
  readonly file: string
  /** Signs the checkpoints; without it the file is plain JSON lines. */
  readonly seal?: NoteSigner | undefined
  /** The file of the newest checkpoint; beside the log by default. A log behind it is not continued. */
  readonly headFile?: string | undefined
  readonly rotate?: RotateOptions | undefined
  /** Sends a checkpoint elsewhere. */
  readonly anchor?: ((checkpoint: string) => Promise<void>) | undefined
  /** Receives the repairs and the failures that lose no record. */
  readonly warn?: ((message: string, fields: Readonly<Record<string, unknown>>) => void) | undefined
  /** Replaced by tests. */
  readonly now?: (() => Date) | undefined
}

/** A request body, kept beside the log so that it can be erased. */
export interface AuditBody {
  readonly request_id: string
  readonly body_sha256: string
  readonly body: string
}

/** Records that are written together. */
export interface AuditBatch {
  /** Texts of JSON objects with members. */
  readonly records: readonly string[]
  /** Records lost before they came here; the next line tells their number. */
  readonly lost?: number
  readonly bodies?: readonly AuditBody[]
}

/** The pause between two attempts to open a file that cannot be opened. */
const REOPEN_MS = 1_000

/** The state of an open file. */
interface OpenFile {
  readonly handle: FileHandle
  /** The number of its first line, in its name when it is closed. */
  readonly first: number
  bytes: number
  /** The UTC day of its last write. */
  day: string
  edge: TreeEdge
  prev: string
}

/**
 * Appends audit records to a file, sealed or plain. Batches are written one after the other. A batch of up to 1,000 records
 * is written whole or not at all, and a lost batch is told in the next line.
 */
export class AuditFile {
  readonly #options: AuditFileOptions
  readonly #files: LogFiles
  readonly #now: () => Date
  /** When the file is closed; a new value applies to the next batch. */
  rotate: RotateOptions
  readonly #anchors: AnchorQueue | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #open: OpenFile | undefined
  #release: (() => void) | undefined
  #isClosed = false
  #lost = 0
  #sealedSize = 0
  #lastCheckpoint: string | undefined
  #timer: NodeJS.Timeout | undefined
  #openFailure: { readonly error: unknown; readonly until: number } | undefined
  #hasRefusedLog = false
  #isHeadFailing = false
  #writtenHead: string | undefined

  constructor(options: AuditFileOptions) {
    const { anchor, warn = () => undefined } = options
    this.#options = options
    this.rotate = options.rotate ?? {}
    this.#files = logFiles(options.file, options.headFile)
    this.#now = options.now ?? (() => new Date())
    this.#anchors = anchor === undefined ? undefined : new AnchorQueue(anchor, warn)
  }

  /** Whether checkpoints do not reach the anchor. */
  get isAnchorFailing(): boolean {
    return this.#anchors?.isFailing ?? false
  }

  /** Whether the newest checkpoint is not in the head file. */
  get isHeadFailing(): boolean {
    return this.#isHeadFailing
  }

  /** Whether a log that was not continued was beside this one when it was opened. */
  get hasRefusedLog(): boolean {
    return this.#hasRefusedLog
  }

  /**
   * Keeps all other writers away until the file is closed or the process ends. Throws an `AuditLogError` when another
   * writer has the file for longer than `patienceMs`.
   */
  lock(patienceMs = 0): void {
    if (this.#release !== undefined || this.#isClosed) return
    mkdirSync(dirname(this.#files.file), { recursive: true })
    try {
      this.#release = lockLog(this.#files.lock, patienceMs)
    } catch (error) {
      if (error instanceof AuditLogError) throw error
      // For example on a file system without locks: another writer is then noticed by the size of the file.
      this.#options.warn?.('the audit file cannot be locked', { error })
      this.#release = () => undefined
    }
  }

  /** Opens the file before the first record; rejects when it cannot be opened or continued. */
  async open(): Promise<void> {
    await this.#inTurn(() => this.#current())
  }

  /** Writes a batch; rejects when it is lost. */
  append(batch: AuditBatch): Promise<void> {
    return this.#inTurn(async () => {
      let { records, lost = 0, bodies = [] } = batch
      try {
        // A part has at most the lines between two checkpoints.
        for (; records.length > 0; records = records.slice(CHECKPOINT_LINES)) {
          await this.#write({ records: records.slice(0, CHECKPOINT_LINES), lost, bodies })
          lost = 0
          bodies = []
        }
      } catch (error) {
        this.#lost += records.length + lost
        throw error
      }
    })
  }

  /** Writes a checkpoint of all lines so far. */
  checkpoint(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#open !== undefined) await this.#sealAll(this.#open)
    })
  }

  /** Writes the last checkpoint and closes the file. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#inTurn(async () => {
      this.#isClosed = true
      try {
        await this.#closeFile()
      } finally {
        this.#release?.()
        this.#release = undefined
      }
    })
    await this.#anchors?.close()
  }

  async #closeFile(): Promise<void> {
    const current = this.#open
    if (current === undefined) return
    this.#open = undefined
    try {
      await this.#sealAll(current)
    } finally {
      await current.handle.close()
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  async #write({ records, lost = 0, bodies = [] }: AuditBatch): Promise<void> {
    let current = await this.#current()
    if (this.#isDue(current, records)) current = await this.#rotate(current)
    if (bodies.length > 0) await this.#writeBodies(bodies)
    if (current.edge.size + records.length - this.#sealedSize > CHECKPOINT_LINES) await this.#trySeal(current)
    await this.#writeLines(current, records, lost + this.#lost)
    this.#lost = 0
    if (current.edge.size - this.#sealedSize >= CHECKPOINT_LINES) await this.#trySeal(current)
    else this.#sealLater()
  }

  async #current(): Promise<OpenFile> {
    if (this.#isClosed) throw new AuditLogError('the audit file is closed')
    if (this.#open !== undefined) return this.#open
    if (this.#openFailure !== undefined && performance.now() < this.#openFailure.until)
      throw this.#openFailure.error
    try {
      this.#open = await this.#openFile()
      this.#openFailure = undefined
      return this.#open
    } catch (error) {
      this.#openFailure = { error, until: performance.now() + REOPEN_MS }
      throw error
    }
  }

  async #openFile(): Promise<OpenFile> {
    const { seal } = this.#options
    this.lock()
    if (seal === undefined) return await this.#openPlain()
    const { refused, ...end } = await this.#recover(seal)
    this.#sealedSize = end.sealedSize
    this.#lastCheckpoint = end.lastCheckpoint
    this.#tellTorn(end.torn)
    this.#hasRefusedLog = await hasRefusedLog(this.#files)
    const current = await this.#openHandle(end)
    await this.#closingOnFailure(current, () => this.#writeOpened(current, { torn: end.torn, refused }))
    return current
  }

  /** A log that is not the one that was written is set aside, and a new one begins. */
  async #recover(signer: NoteSigner): Promise<LogEnd & { readonly refused?: RefusedLog }> {
    const options = { files: this.#files, signer, now: this.#now() }
    try {
      return await recoverLog({ ...options, ownCheckpoint: this.#lastCheckpoint })
    } catch (error) {
      if (!(error instanceof AuditLogError)) throw error
      const refused = await setAside({ files: this.#files, mark: this.#mark(), reason: error.message })
      this.#options.warn?.('the audit log was not continued and a new one has begun', { ...refused })
      return { ...(await recoverLog({ ...options, ownCheckpoint: undefined })), refused }
    }
  }

  async #openPlain(): Promise<OpenFile> {
    const { bytes, torn } = await recoverPlain(this.#files, this.#mark())
    this.#tellTorn(torn)
    return await this.#openHandle({ bytes, first: 0, edge: new TreeEdge(), prev: NO_LINE })
  }

  #tellTorn(torn: TornLine | undefined): void {
    if (torn !== undefined)
      this.#options.warn?.('the audit file ended in an unfinished line, which was moved', { ...torn })
  }

  async #openHandle(state: Pick<OpenFile, 'first' | 'bytes' | 'edge' | 'prev'>): Promise<OpenFile> {
    const { first, bytes, edge, prev } = state
    // Not for appending: `r+` writes at the given place, and another writer is noticed by the size.
    const handle = await openOrCreate(this.#files.file)
    const day = bytes === 0 ? this.#today() : dayOf((await handle.stat()).mtime)
    return { handle, day, first, bytes, edge, prev }
  }

  async #closingOnFailure(current: OpenFile, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      await current.handle.close()
      throw error
    }
  }

  async #writeOpened(current: OpenFile, facts: Pick<OpenedFacts, 'torn' | 'refused'> = {}): Promise<void> {
    // A new file needs the checkpoint of exactly the lines before it: it can then be verified without them. Lines of a
    // killed process would get too old.
    await this.#sealAll(current)
    await this.#writeHead()
    const isSealed = current.edge.size > 0 && current.edge.size === this.#sealedSize
    const record = openedRecord({
      timestamp: this.#now().toISOString(),
      checkpoint: this.#lastCheckpoint,
      edge: isSealed ? current.edge : undefined,
      ...facts,
    })
    await this.#writeLines(current, [record], 0)
    this.#sealLater()
  }

  async #writeLines(current: OpenFile, records: readonly string[], lost: number): Promise<void> {
    const { size } = await current.handle.stat()
    if (size !== current.bytes) {
      await this.#abandon(current)
      throw new AuditLogError('another process has changed the audit file')
    }
    const facts = { written: this.#now().toISOString(), lost }
    const next =
      this.#options.seal === undefined ? plainLines(records, lost) : sealLines(current, records, facts)
    try {
      await writeAll(current.handle, next.bytes, current.bytes)
    } catch (error) {
      // A part may be in the file, for example up to the end of the disk.
      await current.handle.truncate(current.bytes).catch(() => this.#abandon(current))
      throw error
    }
    current.bytes += next.bytes.length
    current.edge = next.edge ?? current.edge
    current.prev = next.prev ?? current.prev
    current.day = this.#today()
  }

  /** The next batch opens the file again and repairs it. */
  async #abandon(current: OpenFile): Promise<void> {
    this.#open = undefined
    await current.handle.close().catch(() => undefined)
  }

  #isDue(current: OpenFile, records: readonly string[]): boolean {
    const { maxBytes = Number.POSITIVE_INFINITY, daily = false } = this.rotate
    if (current.bytes === 0) return false
    if (daily && current.day !== this.#today()) return true
    const more = records.reduce((sum, record) => sum + record.length + HEAD_BYTES, 0)
    return current.bytes + more > maxBytes
  }

  async #rotate(current: OpenFile): Promise<OpenFile> {
    await this.#sealAll(current)
    this.#open = undefined
    await current.handle.close()
    const mark = await this.#freeMark(current)
    await renameIfThere(this.#files.bodies, this.#files.closed(mark, '.bodies'))
    await rename(this.#files.file, this.#files.closed(mark, '.jsonl'))
    const next = await this.#openHandle({ ...current, first: current.edge.size, bytes: 0 })
    if (this.#options.seal !== undefined) await this.#closingOnFailure(next, () => this.#writeOpened(next))
    this.#open = next
    return next
  }

  /** By number and not by time: the order of the names is that of the lines, whatever the clock does. */
  async #freeMark({ first }: OpenFile): Promise<string> {
    const mark = this.#options.seal === undefined ? this.#mark() : String(first).padStart(12, '0')
    for (let copy = 1; ; copy += 1) {
      const name = copy === 1 ? mark : `${mark}_${copy}`
      if (!(await exists(this.#files.closed(name, '.jsonl')))) return name
    }
  }

  #mark(): string {
    return this.#now().toISOString().replace(/[-:.]/g, '')
  }

  #today(): string {
    return dayOf(this.#now())
  }

  /** Opened for each batch: a body file that was deleted must not be written any more. */
  async #writeBodies(bodies: readonly AuditBody[]): Promise<void> {
    const handle = await open(this.#files.bodies, 'a', 0o600)
    try {
      await handle.appendFile(bodies.map((body) => `${JSON.stringify(body)}\n`).join(''))
    } finally {
      await handle.close()
    }
  }

  #sealLater(): void {
    if (this.#options.seal === undefined) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#inTurn(async () => this.#open && (await this.#trySeal(this.#open)))
    }, CHECKPOINT_MS).unref()
  }

  /** The lines are written: a checkpoint that fails loses none, and the next one covers them. */
  async #trySeal(current: OpenFile): Promise<void> {
    try {
      await this.#sealAll(current)
    } catch (error) {
      this.#options.warn?.('a checkpoint of the audit file could not be written', { error })
      this.#sealLater()
    }
  }

  async #sealAll(current: OpenFile): Promise<void> {
    if (this.#options.seal !== undefined && current.edge.size > this.#sealedSize) await this.#seal(current)
  }

  async #seal({ handle, edge }: OpenFile): Promise<void> {
    const { seal } = this.#options
    if (seal === undefined) return
    // A checkpoint must not be on the disk before its lines.
    await handle.datasync()
    const note = signCheckpoint({ size: edge.size, root: edge.root() }, seal)
    await appendNote(this.#files.checkpoints, note)
    this.#sealedSize = edge.size
    this.#lastCheckpoint = note
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#anchors?.add(note)
    await this.#writeHead()
  }

  /** The checkpoint is written: a head file that fails loses none, and the next checkpoint writes it again. */
  async #writeHead(): Promise<void> {
    const note = this.#lastCheckpoint
    if (note === undefined || note === this.#writtenHead) return
    try {
      await writeHeadFile(this.#files.head, note)
      this.#writtenHead = note
      this.#isHeadFailing = false
    } catch (error) {
      if (!this.#isHeadFailing)
        this.#options.warn?.('the head file of the audit log could not be written', { error })
      this.#isHeadFailing = true
    }
  }
}

const HEAD_BYTES = 110

interface WrittenLines {
  readonly bytes: Buffer
  readonly edge?: TreeEdge
  readonly prev?: string
}

function plainLines(records: readonly string[], lost: number): WrittenLines {
  const lines = records.map((record, index) => `${plainText(record, index === 0 ? lost : 0)}\n`)
  return { bytes: Buffer.from(lines.join('')) }
}

/** The lines of a batch with their chain and tree. The state of the file stays as it is until they are written. */
function sealLines(current: OpenFile, records: readonly string[], facts: WriteFacts): WrittenLines {
  const edge = current.edge.copy()
  let { prev } = current
  const chunks = records.map((record, index) => {
    const text = sealedText(record, { seq: edge.size, prev }, index === 0 ? facts : undefined)
    // The first byte is the prefix of a leaf (RFC 6962), so that the line is copied once for both hashes.
    const leaf = Buffer.from(`\0${text}\n`)
    edge.append(sha256(leaf.subarray(0, -1)))
    prev = sha256Hex(leaf.subarray(1, -1))
    return leaf.subarray(1)
  })
  return { bytes: Buffer.concat(chunks), edge, prev }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}

async function appendNote(file: string, note: string): Promise<void> {
  const handle = await openOrCreate(file)
  try {
    const { size } = await handle.stat()
    const bytes = Buffer.from(size === 0 ? note : `\n${note}`)
    try {
      await writeAll(handle, bytes, size)
      await handle.datasync()
    } catch (error) {
      await handle.truncate(size).catch(() => undefined)
      throw error
    }
  } finally {
    await handle.close()
  }
}

/** Records are personal data: only the owner reads them. */
async function openOrCreate(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return await open(file, 'wx+', 0o600)
  }
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  )
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
