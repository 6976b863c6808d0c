import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { InitialisationError } from '../errors.ts'
import { createTurns } from '../lifetime/turns.ts'
import type { ClientSocket } from '../listen/handed-connections.ts'
import type { Log } from '../log.ts'
import { Channel, type Peer, type SupervisorCalls, type WorkerChannel } from './channel.ts'

/** The program of a worker. */
export interface WorkerProgram {
  /** A file for Node that calls `runWorker`. */
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** The program and its stdout: that of this process, or a pipe to it. */
export interface WorkerStart extends WorkerProgram {
  readonly stdout: 'inherit' | 'pipe'
}

const START_MS = 30_000

/** A worker process. */
export class Worker {
  /** Its place in the pool, from 1. */
  readonly index: number
  readonly channel: WorkerChannel
  /** Resolves when it takes requests; rejects when it never will. */
  readonly ready: Promise<void>
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<string>
  readonly child: ChildProcess

  constructor(
    index: number,
    { file, args, env, stdout }: WorkerStart,
    callsOf: (worker: Worker) => Omit<SupervisorCalls, 'failed'>,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const calls = callsOf(this)
    this.index = index
    this.child = fork(file, args, { env, stdio: ['ignore', stdout, 'pipe', 'ipc'] })
    this.channel = new Channel(this.child as unknown as Peer, {
      ...calls,
      ready(value) {
        resolve()
        return calls.ready(value)
      },
      failed: ({ reason, isInitialisation }) =>
        reject(isInitialisation ? new InitialisationError(reason) : new Error(reason)),
    })
    this.ended = endOf(this.child)
    void this.ended.then((how) => reject(new Error(`the worker ended before it took requests: ${how}`)))
    const timer = setTimeout(() => {
      this.kill()
      reject(new Error('the worker did not start in time'))
    }, START_MS)
    this.ready = promise.finally(() => clearTimeout(timer))
    this.ready.catch(() => undefined)
  }

  /** Hands a connection over. */
  hand(socket: ClientSocket): void {
    this.channel.tell('connection', undefined, socket)
  }

  /** Ends the process at once. */
  kill(): void {
    this.child.kill('SIGKILL')
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = await once(child, 'exit')
    // Its last messages must arrive before the supervisor forgets it.
    if (child.connected) await once(child, 'disconnect')
    return signal === null ? `exit code ${code}` : String(signal)
  } catch (error) {
    // The process could not be started.
    return messageOf(error)
  }
}

/** The settings of a pool. */
export interface WorkerPoolOptions {
  readonly count: number
  readonly log: Log
  /** Starts the worker of one place. */
  readonly start: (index: number) => Worker
  /** Called when an ended worker gets a replacement. */
  readonly onReplaced: () => void
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** A worker that ran this long did not end because of its start. */
const STEADY_MS = 30_000

/** A fixed number of workers. An ended worker is replaced. */
export class WorkerPool {
  /** The workers that take requests. */
  readonly workers = new Set<Worker>()
  readonly #running = new Set<Worker>()
  readonly #options: WorkerPoolOptions
  /** Runs work while no worker is replaced: a new worker gets the configuration that all others have. */
  readonly exclusively = createTurns()
  #isEnding = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /** Starts all workers; rejects with the first reason when one cannot start. */
  async start(): Promise<void> {
    const indexes = Array.from({ length: this.#options.count }, (_, index) => index + 1)
    const started = await Promise.all(indexes.map((index) => this.#start(index)))
    for (const worker of started) void this.#keep(worker)
  }

  /** Replaces no worker from now on; resolves when all have ended, and kills those that take too long. */
  async end(withinMs: number): Promise<void> {
    this.#isEnding = true
    for (const worker of this.#running) if (!this.workers.has(worker)) worker.kill()
    const timer = setTimeout(() => {
      for (const { index, child } of this.#running)
        this.#options.log.warn('a worker did not end in time', { worker: index, pid: child.pid })
      this.kill()
    }, withinMs)
    await Promise.all([...this.#running].map(({ ended }) => ended))
    clearTimeout(timer)
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#isEnding = true
    for (const worker of this.#running) worker.kill()
  }

  async #start(index: number): Promise<Worker> {
    const worker = this.#options.start(index)
    this.#running.add(worker)
    void worker.ended.then(() => {
      this.#running.delete(worker)
      this.workers.delete(worker)
    })
    await worker.ready
    this.workers.add(worker)
    return worker
  }

  /** Replaces the worker of one place whenever it ends, after longer pauses while that fails. */
  async #keep(first: Worker): Promise<void> {
    const { log } = this.#options
    const { index } = first
    let worker: Worker | undefined = first
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      const since = performance.now()
      const how = await worker?.ended
      if (this.#isEnding) return
      const pid = worker?.child.pid
      if (worker !== undefined) log.error('a worker ended and is replaced', { worker: index, pid, how })
      if (performance.now() - since > STEADY_MS) pauseMs = FIRST_PAUSE_MS
      await sleep(pauseMs, undefined, { ref: false })
      worker = await this.exclusively(() => this.#replace(index))
    }
  }

  /** Tries once; resolves with `undefined` when that failed. */
  async #replace(index: number): Promise<Worker | undefined> {
    if (this.#isEnding) return undefined
    const { log, onReplaced } = this.#options
    onReplaced()
    try {
      const worker = await this.#start(index)
      const { pid } = worker.child
      log.info('a worker has taken the place of one that ended', { worker: index, pid })
      return worker
    } catch (error) {
      if (!this.#isEnding)
        log.error('a worker could not be replaced yet', { worker: index, reason: messageOf(error) })
      return undefined
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
