import { createHash } from 'node:crypto'
import { type LeaseStore, within } from './lease-store.ts'

/** The address of Redis, and the gateway that holds the leases. */
export interface RedisOptions {
  /** May contain a password: never part of a message. */
  readonly url: string
  /** The trusted authorities for `rediss://`; by default those of Node. */
  readonly authorities: readonly string[] | undefined
  readonly gatewayId: string
  readonly leaseMs: number
  readonly connectWithinMs: number
  /** Called when the connection is lost. */
  readonly onLost: (error: unknown) => void
  /** Aborts an attempt to connect. */
  readonly signal: AbortSignal
}

/**
 * Takes or renews leases of a tenant, in one atomic step. Redis' own clock decides, so that the clocks of gateways do not
 * matter. The key expires with its last lease, so that nothing is left behind.
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
/** More than one renewal ever sends. Commands above it are refused instead of queued in memory. */
const MAX_UNANSWERED = 100_000

/** The key of a tenant's leases. A digest, so that no tenant name can imitate another part of the key. */
export function leaseKey(tenantId: string): string {
  return PREFIX + createHash('sha256').update(tenantId).digest('hex')
}

/** Connects once. After a lost connection the caller makes another store. */
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

/**
 * The reason of a failure in one word that may be shown: an error code of the system or of Redis. Messages are not shown,
 * because they contain hosts and ports.
 */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN'
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string') return code
  return /^[A-Z]{2,}(?= )/.exec(error.message)?.[0] ?? error.constructor.name
}

type Client = Awaited<ReturnType<typeof createRedisClient>>

async function connectClient(options: RedisOptions): Promise<Client> {
  const client = await createRedisClient(options)
  // An open connection must not keep an ended gateway alive; a command without an answer does.
  client.unref()
  let gaveUp = false
  client.on('error', options.onLost)
  // The library ignores `destroy` during a connect and keeps the socket once it is connected.
  client.on('connect', () => gaveUp && client.destroy())
  try {
    // The library's limit covers only the TCP connect; a server that accepts and then hangs needs this one.
    await within(2 * options.connectWithinMs, client.connect(), options.signal)
    return client
  } catch (error) {
    gaveUp = true
    client.destroy()
    throw error
  }
}

async function createRedisClient({ url, authorities, connectWithinMs }: RedisOptions) {
  // Loaded here: a gateway without a shared limit does not need it.
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
    // The library's timer per command covers only commands that were not sent yet.
    commandOptions: { timeout: 0 },
    // The oldest protocol version and no optional commands, so that every server and access list works.
    RESP: 2,
    maintNotifications: 'disabled',
    disableClientInfo: true,
  })
}
