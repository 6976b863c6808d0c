import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SanitizeRule } from '../../config/config-schema.ts'
import type { CancelSignal } from '../../exchange.ts'
import { type LimitName, LimitReachedError } from '../../limits/refuse.ts'
import { type FullQueue, Semaphore } from '../../limits/shares/semaphore.ts'
import type { BodyKind } from './body-kind.ts'
import { FailedInspectionError } from './inspection-failure.ts'
import type { InspectionAnswer, InspectionJob } from './inspection-thread.ts'
import type { SanitizedBody } from './sanitize-body.ts'

/** A larger body is inspected in a thread: the event loop would wait 15 ms and more for it. */
export const OFF_LOOP_BYTES = 32_768

const QUEUE = 64
const QUEUE_PER_TENANT = QUEUE / 4
/** An inspection whose client has left may go on for this long. */
const GRACE_MS = 1000
const LONGEST_MS = 60_000

/** The same name from the source and from the build, each with the extension of this file. */
const PROGRAM = new URL(`./inspection-thread${import.meta.url.slice(-3)}`, import.meta.url)

const limits = {
  queue: 'inspection_queue',
  queuePerTenant: 'inspection_queue_per_tenant',
} as const satisfies Record<FullQueue, LimitName>

/** A body to inspect. */
export interface Inspection {
  readonly tenant: string
  readonly bytes: Buffer
  readonly kind: BodyKind
  readonly signal: CancelSignal
}

/** The bounds of a pool; tests change them. */
export interface InspectionPoolOptions {
  readonly threads?: number
  readonly graceMs?: number
  readonly longestMs?: number
  readonly program?: URL
}

/**
 * Inspects large bodies in a few threads, so that the event loop goes on meanwhile. Tenants are served in turn, and with
 * more than one thread one tenant never has all of them. A thread starts with the first body that needs it.
 */
export class InspectionPool {
  private readonly rules: readonly SanitizeRule[]
  private readonly options: Required<InspectionPoolOptions>
  private readonly permits: Semaphore
  private readonly idle: InspectionThread[] = []
  private readonly threads = new Set<InspectionThread>()

  constructor(rules: readonly SanitizeRule[], options: InspectionPoolOptions = {}) {
    const { threads = availableParallelism() > 2 ? 2 : 1 } = options
    this.rules = rules
    this.options = { threads, graceMs: GRACE_MS, longestMs: LONGEST_MS, program: PROGRAM, ...options }
    this.permits = new Semaphore({
      permits: threads,
      permitsPerTenant: Math.max(1, threads - 1),
      queue: QUEUE,
      queuePerTenant: QUEUE_PER_TENANT,
    })
  }

  /** Throws a `LimitReachedError` when no place is free for another body of the tenant. */
  refuseIfFull(tenant: string): void {
    const full = this.permits.fullFor(tenant)
    if (full !== undefined) throw new LimitReachedError(limits[full])
  }

  /** Inspects a body; rejects when it cannot be inspected, in time or at all. */
  async inspect({ tenant, bytes, kind, signal }: Inspection): Promise<SanitizedBody> {
    const taking = this.permits.take(tenant, signal)
    if (typeof taking === 'string') throw new LimitReachedError(limits[taking])
    const release = await taking
    try {
      signal.throwIfAborted()
      return await this.run({ bytes: copyOf(bytes), kind }, signal)
    } finally {
      release()
    }
  }

  private async run(job: InspectionJob, signal: CancelSignal): Promise<SanitizedBody> {
    const thread = this.idleThread() ?? this.start()
    try {
      return resultOf(await thread.inspect(job, signal))
    } finally {
      if (thread.isLost) this.threads.delete(thread)
      else this.idle.push(thread)
    }
  }

  /** Ends all threads; bodies under inspection fail. */
  async close(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.end()))
  }

  /** A thread can die without work. Nothing would answer a body that is sent to it. */
  private idleThread(): InspectionThread | undefined {
    let thread = this.idle.pop()
    while (thread?.isLost === true) {
      this.threads.delete(thread)
      thread = this.idle.pop()
    }
    return thread
  }

  private start(): InspectionThread {
    const thread = new InspectionThread(this.rules, this.options)
    this.threads.add(thread)
    return thread
  }
}

/** The body stays with its request: it is forwarded if nothing changes. Only bodies under inspection are copied. */
function copyOf({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}

function resultOf(answer: InspectionAnswer): SanitizedBody {
  switch (answer.type) {
    case 'unchanged':
    case 'refused':
      return answer
    case 'changed':
      return { ...answer, bytes: Buffer.from(answer.bytes) }
    case 'failed':
      throw new FailedInspectionError(answer.failure)
  }
}

/** One thread; it inspects one body at a time. */
class InspectionThread {
  isLost = false
  private readonly worker: Worker
  private readonly options: Required<InspectionPoolOptions>
  private job: PromiseWithResolvers<InspectionAnswer> | undefined = undefined

  constructor(rules: readonly SanitizeRule[], options: Required<InspectionPoolOptions>) {
    this.options = options
    // Without the environment: the rules need none of its secrets.
    this.worker = new Worker(options.program, {
      workerData: rules,
      env: {},
      name: 'prompt-sanitize',
      // In a checkout the command line resolves packages to their source by a hook, which a thread does not have.
      ...(options.program.pathname.endsWith('.ts') && { execArgv: ['--conditions=agentic-source'] }),
    })
    this.worker.on('message', (answer: InspectionAnswer) => this.job?.resolve(answer))
    this.worker.on('error', (error) => this.lose(error))
    this.worker.on('exit', () => this.lose(new Error('the thread ended')))
    // An idle thread does not keep the process alive.
    this.worker.unref()
  }

  async inspect(job: InspectionJob, signal: CancelSignal): Promise<InspectionAnswer> {
    const { graceMs, longestMs } = this.options
    const end = () => void this.end()
    const pending = Promise.withResolvers<InspectionAnswer>()
    this.job = pending
    let timer = setTimeout(end, longestMs)
    // Most inspections end soon. A thread is ended only if its work has become useless and goes on.
    const onAbort = () => {
      clearTimeout(timer)
      timer = setTimeout(end, graceMs)
    }
    signal.addEventListener('abort', onAbort)
    try {
      this.worker.postMessage(job, [job.bytes])
      return await pending.promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      this.job = undefined
    }
  }

  async end(): Promise<void> {
    this.lose(new FailedInspectionError({ error: 'FailedInspectionError', reason: 'the thread was ended' }))
    await this.worker.terminate()
  }

  private lose(error: unknown): void {
    this.isLost = true
    this.job?.reject(error)
  }
}
