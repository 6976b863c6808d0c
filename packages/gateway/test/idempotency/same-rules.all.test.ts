import { expect, onTestFinished } from 'vitest'
import type { KeyEnd } from '../../src/exchange.ts'
import type { HeldKey, KeyTerms } from '../../src/idempotency/key-state.ts'
import { heldKeyOf } from '../../src/idempotency/key-store.ts'
import { MemoryKeys } from '../../src/idempotency/memory-keys.ts'
import { createRedisKeys } from '../../src/idempotency/redis-keys.ts'
import { createSharedRedis } from '../../src/redis/redis-client.ts'
import { testWithRedis } from '../shared-limits/with-redis.ts'

const SEED = 22
const STEPS = 600

/** Numbers below a bound, the same with each run (a linear congruential generator of Numerical Recipes). */
function createDraw(seed: number) {
  let state = seed
  return (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const ends: readonly KeyEnd[] = [
  { type: 'free' },
  { type: 'unknown' },
  { type: 'not_replayable' },
  { type: 'kept', answer: { status: 201, headers: ['ETag', '"ä"'], body: '\u0000\u00ff{}' } },
]

/** One of a few keys, seldom with another request. */
const drawTerms = (draw: (bound: number) => number): KeyTerms => ({
  digest: `key-${draw(6)}`,
  tenantId: 'acme',
  binding: draw(8) === 0 ? 'other' : 'same',
  ttlMs: 600_000,
  resends: draw(4) === 0,
})

/** A long lease makes running keys, and none at all makes unknown ones. */
for (const leaseMs of [60_000, 0])
  testWithRedis(
    `memory and Redis decide alike, with a lease of ${leaseMs} ms (seed ${SEED})`,
    async (startRedis) => {
      const { url } = await startRedis()
      const access = createSharedRedis({ redis_url: url }, { connectWithinMs: 1000 })
      const client = await access.connect({ onLost: () => undefined, signal: new AbortController().signal })
      onTestFinished(() => client.destroy())
      const redis = createRedisKeys(client, leaseMs)
      const memory = new MemoryKeys({ leaseMs })
      const draw = createDraw(SEED)
      const granted: HeldKey[] = []
      const seen = new Set<string>()
      for (let step = 0; step < STEPS; step += 1) {
        const held = granted[draw(granted.length)]
        const act = draw(5)
        if (held !== undefined && act === 0) {
          const end = ends[draw(ends.length)] ?? { type: 'free' }
          memory.settle(held, end)
          await redis.settle(held, end)
        } else if (held !== undefined && act === 1) {
          memory.renew([held])
          await redis.renew([held])
        } else {
          const terms = drawTerms(draw)
          const claiming = { terms, held: heldKeyOf(terms) }
          const { verdict } = memory.claim(claiming)
          expect(await redis.claim(claiming), `step ${step}`).toEqual(verdict)
          seen.add(verdict.type)
          if (verdict.type === 'claimed') granted.push(claiming.held)
        }
      }
      const running = leaseMs === 0 ? [] : ['in_progress']
      expect([...seen].toSorted()).toEqual(
        ['claimed', 'mismatch', 'not_replayable', 'replayed', 'unknown', ...running].toSorted(),
      )
    },
  )
