import { randomBytes } from 'node:crypto'
import type { KeyEnd } from '../exchange.ts'
import type { HeldKey, KeyTerms, KeyVerdict } from './key-state.ts'

/** The answer of a store to a claim. */
export type KeyAnswer =
  | Exclude<KeyVerdict, { readonly type: 'claimed' }>
  | {
      readonly type: 'claimed'
      readonly held: HeldKey
      /** Older keys had to make room. */
      readonly dropped?: boolean | undefined
    }
  /** The store is out of reach or full; the cause is one word such as `ECONNREFUSED`. */
  | { readonly type: 'store_error'; readonly cause: string }

/** Keeps idempotency keys: in this process, in the supervisor, or in Redis. It renews the keys that it granted until they are settled. */
export interface KeyStore {
  /** Never rejects, and settles soon. */
  claim(terms: KeyTerms): KeyAnswer | Promise<KeyAnswer>
  /** Resolves when the store knows the end or is out of reach. Never rejects. */
  settle(held: HeldKey, end: KeyEnd): void | Promise<void>
  /** Resolves when the store answers or is known to be out of reach. */
  warm?(): Promise<void>
  /** False while the store is out of reach. */
  isReachable(): boolean
  close(): Promise<void>
}

/** Times of claims, in milliseconds. Not configurable; tests use shorter ones. */
export interface KeyTimes {
  /** A key that is not renewed for this long has an unknown outcome. */
  readonly leaseMs: number
  readonly renewEveryMs: number
}

/** The times of production. All gateways of one store use the same. */
export const keyTimes: KeyTimes = { leaseMs: 30_000, renewEveryMs: 10_000 }

/** Makes the key of a claim. Its fence is a random text: no two claims share one. */
export function heldKeyOf({ digest, tenantId, binding, ttlMs }: KeyTerms): HeldKey {
  return { digest, tenantId, binding, ttlMs, fence: randomBytes(12).toString('base64url') }
}

/** The keys that this process holds, renewed in intervals while there are any. */
export class HeldKeys {
  readonly #renew: (held: readonly HeldKey[]) => void
  readonly #everyMs: number
  readonly #held = new Map<string, HeldKey>()
  #timer: NodeJS.Timeout | undefined

  constructor(everyMs: number, renew: (held: readonly HeldKey[]) => void) {
    this.#everyMs = everyMs
    this.#renew = renew
  }

  get all(): readonly HeldKey[] {
    return [...this.#held.values()]
  }

  add(held: HeldKey): void {
    this.#held.set(held.fence, held)
    this.#timer ??= setInterval(() => this.#renew(this.all), this.#everyMs).unref()
  }

  remove({ fence }: HeldKey): void {
    this.#held.delete(fence)
    if (this.#held.size === 0) this.close()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Why a gateway is less than ready while its keys are out of reach. */
export const KEYS_AWAY = 'idempotency keys: the store is out of reach'
