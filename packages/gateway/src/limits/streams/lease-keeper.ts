import { RedisLink, type RedisLinkOptions } from '../../redis/redis-link.ts'
import type { LeaseStore, LeaseTimes, StreamKey } from './lease-store.ts'

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

/** What a keeper is made with. */
export interface LeaseKeeperOptions extends Omit<RedisLinkOptions<LeaseStore>, 'enter'> {
  readonly times: LeaseTimes
}

/** Connects to the store, and keeps a lease there for every open stream of this gateway and for no other. */
export class LeaseKeeper {
  readonly streams = new OpenStreams()
  readonly link: RedisLink<LeaseStore>
  readonly #renewTimer: NodeJS.Timeout

  constructor(options: LeaseKeeperOptions) {
    this.link = new RedisLink({ ...options, enter: (store) => enterAll(store, this.streams) })
    const renew = () => this.link.store !== undefined && this.link.enter()
    this.#renewTimer = setInterval(renew, options.times.renewEveryMs).unref()
  }

  /** Ends the lease of a stream, now or when the store is back. */
  giveBack(stream: StreamKey): void {
    this.link.ask((store) => store.release(stream)).catch(() => this.streams.addUnreleased(stream))
  }

  /** Ends all leases and the connection. */
  async close(): Promise<void> {
    clearInterval(this.#renewTimer)
    await this.link.close((store) => endAll(store, this.streams))
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
  await Promise.all(ended)
}
