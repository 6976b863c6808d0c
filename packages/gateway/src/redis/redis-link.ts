import type { GatewaySection } from '../config/config-schema.ts'
import type { Log } from '../log.ts'
import { createSharedRedis, failureReason, type RedisClient, type SharedRedis } from './redis-client.ts'
import { within } from './time-limit.ts'

/** Intervals and time limits of a connection, in milliseconds. Not configurable; tests use shorter ones. */
export interface LinkTimes {
  /** How long a request waits for Redis before the gateway decides alone. */
  readonly answerWithinMs: number
  /** The time limit of bringing local state. No request waits for it. */
  readonly enterWithinMs: number
  readonly connectWithinMs: number
  /** The pause between attempts to connect doubles from `retryFromMs` to `retryUpToMs`. */
  readonly retryFromMs: number
  readonly retryUpToMs: number
}

/** The times of production. All gateways of one Redis use the same. */
export const linkTimes: LinkTimes = {
  answerWithinMs: 200,
  enterWithinMs: 1000,
  connectWithinMs: 1000,
  retryFromMs: 100,
  retryUpToMs: 2000,
}

/** What every use of Redis is made with. */
export interface RedisUse {
  readonly shared: NonNullable<GatewaySection['shared']>
  readonly log: Log
}

/** One use of Redis: its commands, its local state and its log lines. */
export interface RedisLinkOptions<Store> extends RedisUse {
  readonly times: LinkTimes
  /** Makes the commands of this use on connections that it opens. The link closes them. */
  readonly connect: (open: () => Promise<RedisClient>) => Promise<Store>
  /** Brings the state of this gateway, and so proves that Redis can be written. */
  readonly enter: (store: Store) => Promise<unknown>
  /** The log line when Redis is in use. */
  readonly found: string
  /** The log line when Redis is out of reach. */
  readonly missing: string
  readonly onChange?: (isFound: boolean) => void
}

/**
 * The way of one use to Redis: connects, brings the local state, reports each change once, and connects again after every
 * failure. Each use has its own connection: a missing right or a key of another type stops this use alone.
 */
export class RedisLink<Store> {
  readonly #options: RedisLinkOptions<Store>
  readonly #redis: SharedRedis
  readonly #closing = new AbortController()
  #opening: Promise<void> | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #failures = 0
  #failure: unknown
  /** The connections of the last attempt. */
  #clients: RedisClient[] = []
  #store: Store | undefined
  #reported: boolean | undefined

  constructor(options: RedisLinkOptions<Store>) {
    this.#options = options
    this.#redis = createSharedRedis(options.shared, options.times)
  }

  /** Redis, while it answers and has everything of this gateway. With less it would grant too much. */
  get store(): Store | undefined {
    return this.#store
  }

  /** Whether Redis is wanted and out of reach. */
  get isAlone(): boolean {
    return this.#opening !== undefined && this.#store === undefined
  }

  get isOpened(): boolean {
    return this.#opening !== undefined
  }

  /** Why Redis is out of reach, as one word such as `ECONNREFUSED`. */
  get cause(): string {
    return failureReason(this.#failure)
  }

  /**
   * Connects with the first call, and resolves when the first attempt has succeeded or failed. A use that a configuration does
   * not need is never opened; a reload may add it. Throws for files that cannot be used.
   */
  open(): Promise<void> {
    if (this.#opening === undefined) this.#redis.readFiles()
    this.#opening ??= this.#attempt()
    return this.#opening
  }

  /** Sends a command; rejects without Redis. A command that fails or takes too long loses Redis. */
  async ask<T>(
    command: (store: Store) => Promise<T>,
    withinMs = this.#options.times.answerWithinMs,
  ): Promise<T> {
    const store = this.#store
    if (store === undefined) throw new Error('Redis is out of reach', { cause: this.#failure })
    try {
      return await within(withinMs, command(store))
    } catch (error) {
      this.#lose(store, error)
      throw error
    }
  }

  /** Brings the local state again; a failure loses Redis. */
  enter(): void {
    this.ask(this.#options.enter, this.#options.times.enterWithinMs).catch(() => undefined)
  }

  /** Sends the last commands and ends the connection in an orderly way, in limited time. */
  async close(end: (store: Store) => Promise<unknown> = async () => undefined): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#retryTimer)
    const store = this.#store
    this.#store = undefined
    if (store === undefined) return this.#destroy()
    const ended = Promise.all([end(store), ...this.#clients.map((client) => client.close())])
    await within(this.#options.times.answerWithinMs, ended).catch(() => this.#destroy())
  }

  async #attempt(): Promise<void> {
    const { connect, enter, times } = this.#options
    const { signal } = this.#closing
    const clients: RedisClient[] = []
    this.#clients = clients
    let store: Store | undefined
    const onLost = (error: unknown) => store !== undefined && this.#lose(store, error)
    try {
      store = await connect(async () => {
        const client = await this.#redis.connect({ signal, onLost })
        clients.push(client)
        return client
      })
      await within(times.enterWithinMs, enter(store))
      signal.throwIfAborted()
      this.#store = store
      this.#failures = 0
      this.#report(true)
      // Things may have changed since the state was brought. These changes precede all further commands.
      this.enter()
    } catch (error) {
      this.#retry(error)
    }
  }

  #lose(store: Store, error: unknown): void {
    if (store !== this.#store) return
    this.#store = undefined
    this.#retry(error)
  }

  #retry(error: unknown): void {
    this.#destroy()
    if (this.#closing.signal.aborted) return
    this.#failure = error
    this.#report(false)
    const pauseMs = retryPause(this.#options.times, this.#failures)
    this.#retryTimer = setTimeout(() => void this.#attempt(), pauseMs).unref()
    this.#failures += 1
  }

  #destroy(): void {
    for (const client of this.#clients) client.destroy()
  }

  /** Reports a change, and only a change: an outage is one line, however many attempts fail. */
  #report(isFound: boolean): void {
    if (isFound === this.#reported) return
    this.#reported = isFound
    const { log, found, missing, onChange } = this.#options
    onChange?.(isFound)
    if (isFound) log.info(found)
    else log.warn(missing, { reason: this.cause })
  }
}

/** Doubles with every failure. Half of it is random, so that many gateways do not reconnect at the same moment. */
function retryPause({ retryFromMs, retryUpToMs }: LinkTimes, failures: number): number {
  const full = Math.min(retryUpToMs, retryFromMs * 2 ** failures)
  return full / 2 + (Math.random() * full) / 2
}
