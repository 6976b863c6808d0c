import { within } from './time-limit.ts'

/** Intervals and time limits of a connection, in milliseconds. Not configurable; tests use shorter ones. */
export interface LinkTimes {
  /** How long a request waits for the store before the gateway decides alone. */
  readonly answerWithinMs: number
  /** The time limit of filling the store. No request waits for it. */
  readonly enterWithinMs: number
  readonly connectWithinMs: number
  /** The pause between attempts to connect doubles from `retryFromMs` to `retryUpToMs`. */
  readonly retryFromMs: number
  readonly retryUpToMs: number
}

/** The times of production. All gateways of one store use the same. */
export const linkTimes: LinkTimes = {
  answerWithinMs: 200,
  enterWithinMs: 1000,
  connectWithinMs: 1000,
  retryFromMs: 100,
  retryUpToMs: 2000,
}

/** What a connection to the store reports to, and is ended by. */
export interface ConnectHooks {
  /** Called when the connection is lost. */
  readonly onLost: (error: unknown) => void
  /** Aborted when the link is closed. */
  readonly signal: AbortSignal
}

/** A store behind a connection. */
export interface LinkedStore {
  /** Waits for the answers to all commands, then disconnects. */
  close(): Promise<unknown>
  /** Disconnects at once; commands without an answer reject. */
  destroy(): void
}

/** What a link is made with. */
export interface StoreLinkOptions<Store extends LinkedStore> {
  readonly times: LinkTimes
  readonly connect: (hooks: ConnectHooks) => Promise<Store>
  /** Writes what this gateway knows, and so proves that the store can be written. */
  readonly enter: (store: Store) => Promise<unknown>
  /** Called when the store is in use. */
  readonly onFound: () => void
  /** Called when the store is lost, and for each failed attempt to connect. */
  readonly onMissing: (error: unknown) => void
}

/** Connects to a store, fills it with what this gateway knows, and connects again after every failure. */
export class StoreLink<Store extends LinkedStore> {
  readonly #options: StoreLinkOptions<Store>
  readonly #closing = new AbortController()
  #retryTimer: NodeJS.Timeout | undefined
  #failures = 0
  #failure: unknown
  /** Connected, but without the knowledge of this gateway yet. */
  #entering: Store | undefined
  #store: Store | undefined

  constructor(options: StoreLinkOptions<Store>) {
    this.#options = options
  }

  /** The store, while it answers and has everything of this gateway. A store with less would grant too much. */
  get store(): Store | undefined {
    return this.#store
  }

  /** The last error, which lost the store or kept it from being found. */
  get failure(): unknown {
    return this.#failure
  }

  /** Resolves when the first attempt to connect has succeeded or failed. */
  async open(): Promise<void> {
    const { signal } = this.#closing
    let store: Store | undefined
    const onLost = (error: unknown) => store !== undefined && this.lose(store, error)
    try {
      store = await this.#options.connect({ signal, onLost })
      this.#entering = store
      await this.#enterInTime(store)
      signal.throwIfAborted()
      this.#store = store
      this.#failures = 0
      this.#options.onFound()
      // Things may have changed since the store was filled. These changes precede all further commands.
      this.enter(store)
    } catch (error) {
      this.#retry(store, error)
    } finally {
      this.#entering = undefined
    }
  }

  /** Fills the store again; a failure loses it. */
  enter(store: Store): void {
    this.#enterInTime(store).catch((error) => this.lose(store, error))
  }

  /** Disconnects from a store that failed, and connects again after a pause. */
  lose(store: Store, error: unknown): void {
    if (store !== this.#store) return
    this.#store = undefined
    this.#retry(store, error)
  }

  /** Ends the connection in an orderly way, in limited time. */
  async close(end: (store: Store) => Promise<unknown> = (store) => store.close()): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#retryTimer)
    this.#entering?.destroy()
    const store = this.#store
    this.#store = undefined
    if (store === undefined) return
    await within(this.#options.times.answerWithinMs, end(store)).catch(() => store.destroy())
  }

  #enterInTime(store: Store): Promise<unknown> {
    return within(this.#options.times.enterWithinMs, this.#options.enter(store))
  }

  #retry(store: Store | undefined, error: unknown): void {
    store?.destroy()
    if (this.#closing.signal.aborted) return
    this.#failure = error
    this.#options.onMissing(error)
    const pauseMs = retryPause(this.#options.times, this.#failures)
    this.#retryTimer = setTimeout(() => void this.open(), pauseMs).unref()
    this.#failures += 1
  }
}

/** Doubles with every failure. Half of it is random, so that many gateways do not reconnect at the same moment. */
function retryPause({ retryFromMs, retryUpToMs }: LinkTimes, failures: number): number {
  const full = Math.min(retryUpToMs, retryFromMs * 2 ** failures)
  return full / 2 + (Math.random() * full) / 2
}
