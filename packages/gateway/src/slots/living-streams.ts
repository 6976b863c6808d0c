/** One stream of a tenant. */
export interface StreamKey {
  readonly tenantId: string
  readonly streamId: string
}

/** The open streams of this gateway, and those whose lease the store may still have although they have ended. */
export interface LivingStreams {
  held(tenantId: string): number
  add(stream: StreamKey): void
  /** False when it was not there any more: a stream can end in several ways at once. */
  remove(stream: StreamKey): boolean
  /** The streams of each tenant. */
  byTenant(): readonly (readonly [tenantId: string, streamIds: readonly string[]])[]
  /** Remembers a lease that could not be released, to release it later. */
  owe(stream: StreamKey): void
  owed(): readonly StreamKey[]
  settle(streams: readonly StreamKey[]): void
}

/** Above this the oldest are left to run out by themselves. */
const MAX_OWED = 10_000

/** Makes the register. A tenant without streams takes no memory. */
export function createLivingStreams(): LivingStreams {
  const tenants = new Map<string, Set<string>>()
  const owed = new Set<StreamKey>()
  return {
    held: (tenantId) => tenants.get(tenantId)?.size ?? 0,
    add({ tenantId, streamId }) {
      const streams = tenants.get(tenantId)
      if (streams === undefined) tenants.set(tenantId, new Set([streamId]))
      else streams.add(streamId)
    },
    remove({ tenantId, streamId }) {
      const streams = tenants.get(tenantId)
      const wasOpen = streams?.delete(streamId) ?? false
      if (streams?.size === 0) tenants.delete(tenantId)
      return wasOpen
    },
    byTenant: () => [...tenants].map(([tenantId, streams]) => [tenantId, [...streams]]),
    owe(stream) {
      owed.add(stream)
      const [oldest] = owed
      if (owed.size > MAX_OWED && oldest !== undefined) owed.delete(oldest)
    },
    owed: () => [...owed],
    settle(streams) {
      for (const stream of streams) owed.delete(stream)
    },
  }
}
