import type { KeyEnd } from '../exchange.ts'
import { type LinkTimes, linkTimes, RedisLink, type RedisUse } from '../redis/redis-link.ts'
import type { HeldKey, KeyTerms } from './key-state.ts'
import { HeldKeys, heldKeyOf, type KeyAnswer, type KeyStore, type KeyTimes, keyTimes } from './key-store.ts'
import { createRedisKeys, type RedisKeys } from './redis-keys.ts'

/** What shared keys are made with. */
export interface SharedKeysOptions extends RedisUse {
  readonly times?: (LinkTimes & KeyTimes) | undefined
}

/** Requests are refused while Redis is away: no pause between attempts is longer than a quarter of a second. */
const sharedTimes: LinkTimes & KeyTimes = {
  ...linkTimes,
  ...keyTimes,
  retryUpToMs: 250,
  enterWithinMs: 10_000,
}

/**
 * Makes a store that all gateways of one Redis share. A gateway remembers the ends that Redis does not know yet, and brings
 * them along with its running keys when Redis is back.
 */
export function createSharedKeys(options: SharedKeysOptions): KeyStore {
  const { times = sharedTimes } = options
  const unsettled = new UnsettledKeys()
  const link = new RedisLink<RedisKeys>({
    ...options,
    times,
    connect: async (open) => createRedisKeys(await open(), times.leaseMs),
    async enter(store) {
      await store.probe()
      await store.renew(held.all)
      await Promise.all(unsettled.all.map((each) => settleIn(store, each)))
    },
    found: 'the idempotency keys are shared with other gateways',
    missing: 'the store of idempotency keys is out of reach',
  })
  const held = new HeldKeys(times.renewEveryMs, (keys) => {
    link.ask((store) => store.renew(keys), times.enterWithinMs).catch(() => undefined)
  })
  const settleIn = async (store: RedisKeys, settled: Unsettled) => {
    await store.settle(settled.held, settled.end)
    unsettled.remove(settled)
  }
  const away = (): KeyAnswer => ({ type: 'store_error', cause: link.cause })
  const claim = async (terms: KeyTerms): Promise<KeyAnswer> => {
    if (link.store === undefined) return away()
    const key = heldKeyOf(terms)
    try {
      const verdict = await link.ask((store) => store.claim({ terms, held: key }))
      if (verdict.type !== 'claimed') return verdict
      held.add(key)
      return { type: 'claimed', held: key }
    } catch {
      // Redis may have granted the claim. The request is not sent with it: the key is given back.
      unsettled.add({ held: key, end: { type: 'free' } })
      return away()
    }
  }
  return {
    warm: async () => await link.open(),
    isReachable: () => !link.isAlone,
    claim: async (terms) => {
      await link.open()
      return await claim(terms)
    },
    async settle(key, end) {
      held.remove(key)
      const settled = { held: key, end }
      unsettled.add(settled)
      await link.ask((store) => settleIn(store, settled)).catch(() => undefined)
    },
    async close() {
      held.close()
      await link.close()
    },
  }
}

interface Unsettled {
  readonly held: HeldKey
  readonly end: KeyEnd
}

const MAX_UNSETTLED = 10_000
const MAX_UNSETTLED_BYTES = 67_108_864

/** Ends that Redis does not know yet. The oldest are given up above a bound: their keys become unknown when the lease ends. */
class UnsettledKeys {
  readonly #ends = new Map<string, Unsettled>()
  #bytes = 0

  get all(): readonly Unsettled[] {
    return [...this.#ends.values()]
  }

  add(settled: Unsettled): void {
    this.#ends.set(settled.held.fence, settled)
    this.#bytes += sizeOf(settled)
    for (const oldest of this.#ends.values()) {
      if (this.#ends.size <= MAX_UNSETTLED && this.#bytes <= MAX_UNSETTLED_BYTES) return
      this.remove(oldest)
    }
  }

  remove(settled: Unsettled): void {
    if (this.#ends.delete(settled.held.fence)) this.#bytes -= sizeOf(settled)
  }
}

function sizeOf({ end }: Unsettled): number {
  return end.type === 'kept' ? end.answer.body.length : 0
}
