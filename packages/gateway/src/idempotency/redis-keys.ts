import { randomUUID } from 'node:crypto'
import { parseOwnJson } from '@agentic-rest/profile'
import type { KeptAnswer, KeyEnd } from '../exchange.ts'
import type { RedisClient } from '../redis/redis-client.ts'
import { defineScript, runScript, type Script } from '../redis/run-script.ts'
import type { HeldKey, KeyVerdict } from './key-state.ts'
import { heldKeyOf } from './key-store.ts'
import type { KeyClaiming } from './memory-keys.ts'

/**
 * A key is a hash: its binding `b`, its state `s`, the fence `f` of its last claim, the end of the lease `l` and the stored
 * answer `a`. Redis' own clock decides, so that the clocks of gateways do not matter. The rules are those of `key-state.ts`.
 * A full Redis refuses HSET in the middle of a script: a DEL before it would free the key of a request that was sent.
 */
const COMMON = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function text(number) return string.format('%.0f', number) end
local function run(key, binding, fence, ttl, lease)
  redis.call('HSET', key, 'b', binding, 's', 'running', 'f', fence, 'l', text(now + lease))
  redis.call('PEXPIRE', key, text(ttl + lease))
end`

/** ARGV: binding, fence, time to live, lease, whether an unknown key may be claimed. */
const CLAIM = defineScript(`${COMMON}
local row = redis.call('HMGET', KEYS[1], 'b', 's', 'l')
local state = row[2]
if state then
  if row[1] ~= ARGV[1] then return {'mismatch'} end
  if state == 'kept' then return {'replayed', redis.call('HGET', KEYS[1], 'a')} end
  if state == 'not_replayable' then return {state} end
  if state == 'running' and tonumber(row[3]) > now then return {'in_progress'} end
  if ARGV[5] ~= '1' then return {'unknown'} end
end
run(KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]))
return {'claimed'}`)

/** Renews held keys. ARGV: the lease, then binding, fence and time to live of each key. */
const RENEW = defineScript(`${COMMON}
for i, key in ipairs(KEYS) do
  local at = i * 3 - 1
  local row = redis.call('HMGET', key, 's', 'f')
  if not row[1] or (row[1] == 'running' and row[2] == ARGV[at + 1]) then
    run(key, ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), tonumber(ARGV[1]))
  end
end
return {}`)

/** ARGV: binding, fence, time to live, end, stored answer. */
const SETTLE = defineScript(`
local fence = redis.call('HGET', KEYS[1], 'f')
if fence and fence ~= ARGV[2] then return {} end
if ARGV[4] == 'free' then
  redis.call('DEL', KEYS[1])
  return {}
end
redis.call('HSET', KEYS[1], 'b', ARGV[1], 's', ARGV[4], 'f', ARGV[2], 'a', ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {}`)

const PREFIX = 'agentic:idem:v1:'

/** Keys of one renewal: a script blocks Redis for as long as it runs. */
const KEYS_PER_CALL = 512

/** The keys of all gateways of one Redis, each call in one round trip. */
export interface RedisKeys {
  /** Writes and so proves that keys can be claimed: a reachable Redis may be full or read-only. */
  probe(): Promise<unknown>
  claim(claiming: KeyClaiming): Promise<KeyVerdict>
  renew(keys: readonly HeldKey[]): Promise<unknown>
  settle(held: HeldKey, end: KeyEnd): Promise<unknown>
}

/** Makes the keys of a connection. */
export function createRedisKeys(client: RedisClient, leaseMs: number): RedisKeys {
  const run = (script: Script, keys: string[], words: string[]) =>
    runScript<readonly string[]>(client, script, { keys, words })
  const keys: Omit<RedisKeys, 'probe'> = {
    async claim({ terms, held: { digest, binding, fence, ttlMs } }) {
      const words = [binding, fence, String(ttlMs), String(leaseMs), terms.resends ? '1' : '0']
      return readVerdict(await run(CLAIM, [PREFIX + digest], words))
    },
    async renew(held) {
      // All at once: a key that is settled between two calls would be renewed after its end.
      const count = Math.ceil(held.length / KEYS_PER_CALL)
      const parts = Array.from({ length: count }, (_, index) =>
        held.slice(index * KEYS_PER_CALL, (index + 1) * KEYS_PER_CALL),
      )
      await Promise.all(
        parts.map((part) => {
          const words = part.flatMap(({ binding, fence, ttlMs }) => [binding, fence, String(ttlMs)])
          const names = part.map(({ digest }) => PREFIX + digest)
          return run(RENEW, names, [String(leaseMs), ...words])
        }),
      )
    },
    settle({ digest, binding, fence, ttlMs }, end) {
      const answer = end.type === 'kept' ? JSON.stringify(end.answer) : ''
      return run(SETTLE, [PREFIX + digest], [binding, fence, String(ttlMs), end.type, answer])
    },
  }
  return {
    ...keys,
    async probe() {
      const own = heldKeyOf({
        digest: `probe-${randomUUID()}`,
        tenantId: '',
        binding: '',
        ttlMs: 1,
        resends: false,
      })
      await keys.renew([own])
      await keys.settle(own, { type: 'free' })
    },
  }
}

function readVerdict([type, answer]: readonly string[]): KeyVerdict {
  if (type === 'replayed') return { type, answer: parseOwnJson(answer ?? '') as KeptAnswer }
  return { type: type as Exclude<KeyVerdict['type'], 'replayed'> }
}
