import { createHash } from 'node:crypto'
import type { LeaseStore } from './lease-store.ts'
import { within } from './within.ts'

/** Where Redis is, and whose leases these are. */
export interface RedisOptions {
  /** May hold a password: it goes into no message. */
  readonly url: string
  /** The only authorities that are trusted for `rediss://`; without them those of Node. */
  readonly authorities: readonly string[] | undefined
  readonly gatewayId: string
  readonly leaseMs: number
  readonly connectWithinMs: number
  /** Called when the connection ends by itself. */
  readonly onLost: (error: unknown) => void
  /** Ends an attempt to connect. */
  readonly signal: AbortSignal
}

/**
 * Everything that happens to a tenant's leases but their end, in one step. Redis' own clock decides, so that the clocks
 * of gateways do not matter, and the key goes with its last lease, so that nothing is left behind.
 */
const ENTER = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
for index = 3, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[index]) end
redis.call('PEXPIREAT', KEYS[1], redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
return 1`

const PREFIX = 'agentic:streams:v1:'
const NO_LIMIT = Number.MAX_SAFE_INTEGER
/** More than a renewal ever sends at once; what is above is refused instead of kept in memory. */
const MAX_UNANSWERED = 100_000

/** The key of a tenant's leases. A digest, because a tenant's name must not be able to look like a part of a key. */
export function leaseKey(tenantId: string): string {
  return PREFIX + createHash('sha256').update(tenantId).digest('hex')
}

/** Connects, once: who loses the connection makes another store. */
export async function connectRedis(options: RedisOptions): Promise<LeaseStore> {
  const client = await connectClient(options)
  const enter = (key: string, leaseMs: number, [limit, ...streamIds]: readonly [number, ...string[]]) =>
    client.eval(ENTER, { keys: [key], arguments: [String(limit), String(leaseMs), ...streamIds] })
  const { leaseMs, gatewayId } = options
  return {
    probe: () => enter(`${PREFIX}probe:${gatewayId}`, 1, [NO_LIMIT, gatewayId]),
    take: async ({ tenantId, streamId }, limit) =>
      (await enter(leaseKey(tenantId), leaseMs, [limit, streamId])) === 1,
    keep: (tenantId, streamIds) => enter(leaseKey(tenantId), leaseMs, [NO_LIMIT, ...streamIds]),
    release: ({ tenantId, streamId }) => client.zRem(leaseKey(tenantId), streamId),
    close: () => client.close(),
    destroy: () => client.destroy(),
  }
}

type Client = Awaited<ReturnType<typeof createRedisClient>>

async function connectClient(options: RedisOptions): Promise<Client> {
  const client = await createRedisClient(options)
  // Who waits for an answer keeps the process alive, the connection does not: a gateway that has ended is not to wait for it.
  client.unref()
  let gaveUp = false
  client.on('error', options.onLost)
  // The library forgets a socket that is destroyed while it connects, and goes on with it once it is connected.
  client.on('connect', () => gaveUp && client.destroy())
  try {
    // Its own limit ends with the connection; a server that hangs is noticed at the first answer it owes.
    await within(2 * options.connectWithinMs, client.connect(), options.signal)
    return client
  } catch (error) {
    gaveUp = true
    client.destroy()
    throw error
  }
}

async function createRedisClient({ url, authorities, connectWithinMs }: RedisOptions) {
  // Loaded here, so that a gateway without a shared limit does not pay for it.
  const { createClient } = await import('redis')
  return createClient({
    url,
    socket: {
      connectTimeout: connectWithinMs,
      reconnectStrategy: false,
      ...(authorities === undefined ? {} : { ca: [...authorities] }),
    },
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_UNANSWERED,
    // Its timer per command would only end what has not been sent.
    commandOptions: { timeout: 0 },
    // The oldest form of the protocol and nothing beside the commands that are needed: it works with every server and access list.
    RESP: 2,
    maintNotifications: 'disabled',
    disableClientInfo: true,
  })
}
