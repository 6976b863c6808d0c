import type { AuditFile } from '@agentic-rest/audit-log'
import type { AuditEmitter, AuditEvent } from '@agentic-rest/profile'

/** The seal of a log: chained lines, and checkpoints that a key signs. */
export interface SealOptions {
  /** The private key (Ed25519, PEM), made by `agentic audit keygen`. */
  readonly keyFile: string
  /** The name of the log in its checkpoints, for example `agents.example.com/audit/7f3c`. Each service has its own. */
  readonly name: string
  /** The file of the newest checkpoint, better on another volume; beside the log by default. */
  readonly headFile?: string | undefined
}

// F10: records wait while the disk is slow. Above this limit they are lost, and the next line tells their number.
const MAX_WAITING_BYTES = 8 * 1024 * 1024
const BATCH_RECORDS = 512

interface Waiting {
  readonly line: string
  readonly written: PromiseWithResolvers<void>
}

/** Writes audit records to a file in batches. */
export class SealedLines implements AuditEmitter {
  readonly #file: Promise<AuditFile>
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  #lost = 0
  #writing: Promise<void> | undefined

  constructor(file: string, seal: SealOptions | undefined) {
    this.#file = openFile(file, seal)
    // Every record reports it.
    this.#file.catch(() => undefined)
  }

  readonly emit = (event: AuditEvent): Promise<void> => {
    const line = JSON.stringify(event)
    if (this.#waitingBytes + line.length > MAX_WAITING_BYTES) {
      this.#lost += 1
      throw new Error('the disk of the audit records is too slow')
    }
    const written = Promise.withResolvers<void>()
    this.#waiting.push({ line, written })
    this.#waitingBytes += line.length
    this.#writing ??= this.#writeAll()
    return written.promise
  }

  /** Writes the remaining records and the last checkpoint. */
  readonly close = async (): Promise<void> => {
    await this.#writing
    const file = await this.#file.catch(() => undefined)
    await file?.close()
  }

  async #writeAll(): Promise<void> {
    // Records of one turn are written together.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, BATCH_RECORDS))
    this.#writing = undefined
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const records = batch.map(({ line }) => line)
    for (const line of records) this.#waitingBytes -= line.length
    const lost = this.#lost
    this.#lost = 0
    try {
      await (await this.#file).append({ records, lost })
      for (const { written } of batch) written.resolve()
    } catch (cause) {
      for (const { written } of batch) written.reject(cause)
    }
  }
}

/** Loaded when a file is used: the other emitters need no files and run anywhere. */
async function openFile(file: string, seal: SealOptions | undefined): Promise<AuditFile> {
  const { AuditFile, createNoteSigner } = await import('@agentic-rest/audit-log')
  if (seal === undefined) return new AuditFile({ file })
  const { readFile } = await import('node:fs/promises')
  const { headFile, keyFile, name } = seal
  return new AuditFile({ file, headFile, seal: createNoteSigner(name, await readFile(keyFile)) })
}
