import { type LeaseStore, type LeaseTimes, type StreamKey, within } from './lease-store.ts'

/** Above this, the oldest unreleased leases are left to end by themselves. */
const MAX_UNRELEASED = 10_000

/**
 * The open streams of this gateway, and the ended streams whose lease may still be in the store. A tenant without
 * streams takes no memory.
 */
export class OpenStreams {
  readonly #tenants = new Map<string, Set<string>>()
  readonly #unreleased = new Set<StreamKey>()

  held(tenantId: string): number {
    return this.#tenants.get(tenantId)?.size ?? 0
  }

  add({ tenantId, streamId }: StreamKey): void {
    const streams = this.#tenants.get(tenantId)
    if (streams === undefined) this.#tenants.set(tenantId, new Set([streamId]))
    else streams.add(streamId)
  }

  /** Returns false for a stream that was removed before: a stream can end in several ways at once. */
  remove({ tenantId, streamId }: StreamKey): boolean {
    const streams = this.#tenants.get(tenantId)
    const wasOpen = streams?.delete(streamId) ?? false
    if (streams?.size === 0) this.#tenants.delete(tenantId)
    return wasOpen
  }

  byTenant(): readonly (readonly [tenantId: string, streamIds: readonly string[]])[] {
    return [...this.#tenants].map(([tenantId, streams]) => [tenantId, [...streams]])
  }

  get unreleased(): readonly StreamKey[] {
    return [...this.#unreleased]
  }

  /** Remembers a lease that could not be released yet. */
  addUnreleased(stream: StreamKey): void {
    this.#unreleased.add(stream)
    const [oldest] = this.#unreleased
    if (this.#unreleased.size > MAX_UNRELEASED && oldest !== undefined) this.#unreleased.delete(oldest)
  }

  removeUnreleased(streams: readonly StreamKey[]): void {
    for (const stream of streams) this.#unreleased.delete(stream)
  }
}

/** What a connection to the store reports to, and is ended by. */
export interface ConnectHooks {
  /** Called when the connection is lost. */
  readonly onLost: (error: unknown) => void
  /** Aborted when the keeper is closed. */
  readonly signal: AbortSignal
}

/** What a keeper is made with. */
export interface LeaseKeeperOptions {
  readonly times: LeaseTimes
  readonly connect: (hooks: ConnectHooks) => Promise<LeaseStore>
  /** Called when the store is in use. */
  readonly onFound: () => void
  /** Called when the store is lost, and for each failed attempt to connect. */
  readonly onMissing: (error: unknown) => void
}

/** Connects to the store, and keeps a lease there for every open stream of this gateway and for no other. */
export class LeaseKeeper {
  readonly streams = new OpenStreams()
  readonly #options: LeaseKeeperOptions
  readonly #closing = new AbortController()
  readonly #renewTimer: NodeJS.Timeout
  #retryTimer: NodeJS.Timeout | undefined
  #failures = 0
  /** Connected, but without the streams of this gateway yet. */
  #entering: LeaseStore | undefined
  #store: LeaseStore | undefined

  constructor(options: LeaseKeeperOptions) {
    this.#options = options
    const renew = () => this.#store !== undefined && this.#renew(this.#store)
    this.#renewTimer = setInterval(renew, options.times.renewEveryMs).unref()
  }

  /** The store, while it answers and has all streams of this gateway. A store with less would grant too much. */
  get store(): LeaseStore | undefined {
    return this.#store
  }

  /** Resolves when the first attempt to connect has succeeded or failed. */
  async open(): Promise<void> {
    const { signal } = this.#closing
    let store: LeaseStore | undefined
    const onLost = (error: unknown) => store !== undefined && this.lose(store, error)
    try {
      store = await this.#options.connect({ signal, onLost })
      this.#entering = store
      await this.#enter(store)
      signal.throwIfAborted()
      this.#store = store
      this.#failures = 0
      this.#options.onFound()
      // Streams may have begun or ended since the store was filled. Their changes precede all further commands.
      this.#renew(store)
    } catch (error) {
      this.#retry(store, error)
    } finally {
      this.#entering = undefined
    }
  }

  /** Disconnects from a store that failed, and connects again after a pause. */
  lose(store: LeaseStore, error: unknown): void {
    if (store !== this.#store) return
    this.#store = undefined
    this.#retry(store, error)
  }

  /** Ends the lease of a stream, now or when the store is back. */
  giveBack(stream: StreamKey): void {
    const store = this.#store
    if (store === undefined) {
      this.streams.addUnreleased(stream)
      return
    }
    store.release(stream).catch((error: unknown) => {
      this.streams.addUnreleased(stream)
      this.lose(store, error)
    })
  }

  /** Ends all leases and the connection. */
  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#renewTimer)
    clearTimeout(this.#retryTimer)
    this.#entering?.destroy()
    const store = this.#store
    this.#store = undefined
    if (store === undefined) return
    const { answerWithinMs } = this.#options.times
    await within(answerWithinMs, endAll(store, this.streams)).catch(store.destroy)
  }

  #enter(store: LeaseStore): Promise<void> {
    return within(this.#options.times.enterWithinMs, enterAll(store, this.streams))
  }

  #renew(store: LeaseStore): void {
    this.#enter(store).catch((error) => this.lose(store, error))
  }

  #retry(store: LeaseStore | undefined, error: unknown): void {
    store?.destroy()
    if (this.#closing.signal.aborted) return
    this.#options.onMissing(error)
    const pauseMs = retryPause(this.#options.times, this.#failures)
    this.#retryTimer = setTimeout(() => void this.open(), pauseMs).unref()
    this.#failures += 1
  }
}

/** Sends one batch: releases the ended streams and renews the open ones. */
async function enterAll(store: LeaseStore, streams: OpenStreams): Promise<void> {
  const { unreleased } = streams
  await Promise.all([
    store.probe(),
    ...unreleased.map(store.release),
    ...streams.byTenant().map(([tenantId, streamIds]) => store.keep(tenantId, streamIds)),
  ])
  streams.removeUnreleased(unreleased)
}

async function endAll(store: LeaseStore, streams: OpenStreams): Promise<void> {
  const ended = streams
    .byTenant()
    .flatMap(([tenantId, streamIds]) => streamIds.map((streamId) => store.release({ tenantId, streamId })))
  await Promise.all([...ended, store.close()])
}

/** Doubles with every failure. Half of it is random, so that many gateways do not reconnect at the same moment. */
function retryPause({ retryFromMs, retryUpToMs }: LeaseTimes, failures: number): number {
  const full = Math.min(retryUpToMs, retryFromMs * 2 ** failures)
  return full / 2 + (Math.random() * full) / 2
}
