import { createHash } from 'node:crypto'
import type { RedisClient } from '../../redis/redis-client.ts'
import type { LeaseStore } from './lease-store.ts'

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
/** The key of a tenant's leases. A digest, so that no tenant name can imitate another part of the key. */
export function leaseKey(tenantId: string): string {
  return PREFIX + createHash('sha256').update(tenantId).digest('hex')
}

/** The gateway that holds the leases, and their life. */
export interface LeaseHolder {
  readonly gatewayId: string
  readonly leaseMs: number
}

/** Makes the store of a connection. */
export function createRedisLeases(client: RedisClient, { gatewayId, leaseMs }: LeaseHolder): LeaseStore {
  const enter = (key: string, leaseMs: number, [limit, ...streamIds]: readonly [number, ...string[]]) =>
    client.eval(ENTER, { keys: [key], arguments: [String(limit), String(leaseMs), ...streamIds] })
  return {
    probe: () => enter(`${PREFIX}probe:${gatewayId}`, 1, [NO_LIMIT, gatewayId]),
    take: async ({ tenantId, streamId }, limit) =>
      (await enter(leaseKey(tenantId), leaseMs, [limit, streamId])) === 1,
    keep: (tenantId, streamIds) => enter(leaseKey(tenantId), leaseMs, [NO_LIMIT, ...streamIds]),
    release: ({ tenantId, streamId }) => client.zRem(leaseKey(tenantId), streamId),
  }
}
