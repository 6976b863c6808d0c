import type { GatewaySection } from '../config/config-schema.ts'
import type { KeyEnd } from '../exchange.ts'
import type { Log } from '../log.ts'
import { createSharedRedis, failureReason } from '../redis/redis-client.ts'
import { type LinkTimes, linkTimes, StoreLink } from '../redis/store-link.ts'
import { within } from '../redis/time-limit.ts'
import type { HeldKey, KeyTerms } from './key-state.ts'
import { HeldKeys, heldKeyOf, type KeyAnswer, type KeyStore, type KeyTimes, keyTimes } from './key-store.ts'
import { createRedisKeys, type RedisKeys } from './redis-keys.ts'

/** What shared keys are made with. */
export interface SharedKeysOptions {
  readonly shared: NonNullable<GatewaySection['shared']>
  readonly log: Log
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
  const redis = createSharedRedis(options.shared, times)
  const report = createReport(options)
  const unsettled = new UnsettledKeys()
  const link = new StoreLink<RedisKeys>({
    times,
    connect: async (hooks) => createRedisKeys(await redis.connect(hooks), times.leaseMs),
    async enter(store) {
      await store.probe()
      await store.renew(held.all)
      await Promise.all(unsettled.all.map((each) => settleIn(store, each)))
    },
    onFound: () => report(true),
    onMissing: (error) => report(false, error),
  })
  const renew = async (store: RedisKeys, keys: readonly HeldKey[]) => {
    await within(times.enterWithinMs, store.renew(keys)).catch((error) => link.lose(store, error))
  }
  const held = new HeldKeys(times.renewEveryMs, (keys) => {
    if (link.store !== undefined) void renew(link.store, keys)
  })
  const settleIn = async (store: RedisKeys, settled: Unsettled) => {
    await store.settle(settled.held, settled.end)
    unsettled.remove(settled)
  }
  const away = (): KeyAnswer => ({ type: 'store_error', cause: failureReason(link.failure) })
  const claim = async (terms: KeyTerms): Promise<KeyAnswer> => {
    const { store } = link
    if (store === undefined) return away()
    const key = heldKeyOf(terms)
    try {
      const verdict = await within(times.answerWithinMs, store.claim({ terms, held: key }))
      if (verdict.type !== 'claimed') return verdict
      held.add(key)
      return { type: 'claimed', held: key }
    } catch (error) {
      // Redis may have granted the claim. The request is not sent with it: the key is given back.
      unsettled.add({ held: key, end: { type: 'free' } })
      link.lose(store, error)
      return away()
    }
  }
  // Opened with the first use: a configuration without keys does not need Redis, and a reload may add them.
  let opening: Promise<void> | undefined
  const open = () => {
    if (opening === undefined) redis.readFiles()
    opening ??= link.open()
    return opening
  }
  return {
    warm: async () => await open(),
    isReachable: () => opening === undefined || link.store !== undefined,
    claim: async (terms) => {
      await open()
      return await claim(terms)
    },
    async settle(key, end) {
      held.remove(key)
      const settled = { held: key, end }
      unsettled.add(settled)
      const { store } = link
      if (store === undefined) return
      await within(times.answerWithinMs, settleIn(store, settled)).catch((error) => link.lose(store, error))
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

/** Logs a change, and only a change: an outage is one line, however many attempts fail. */
function createReport({ log }: SharedKeysOptions) {
  let reported: boolean | undefined
  return (isFound: boolean, error?: unknown) => {
    if (isFound === reported) return
    reported = isFound
    if (isFound) log.info('the idempotency keys are shared with other gateways')
    else log.warn('the store of idempotency keys is out of reach', { reason: failureReason(error) })
  }
}
