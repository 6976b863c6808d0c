import type { KeyEnd } from '../exchange.ts'
import {
  type HeldKey,
  judgeClaim,
  type KeyEntry,
  type KeyTerms,
  type KeyVerdict,
  mayRenew,
  maySettle,
  runningEntry,
  settledEntry,
} from './key-state.ts'
import { heldKeyOf, type KeyStore } from './key-store.ts'

/** The bounds of keys in memory. */
export interface KeyBounds {
  readonly maxKeys: number
  readonly maxBytes: number
}

/** The bounds of production, for all workers together. */
export const keyBounds: KeyBounds = { maxKeys: 10_000, maxBytes: 67_108_864 }

/** What keys in memory are made with. */
export interface MemoryKeysOptions extends Partial<KeyBounds> {
  readonly leaseMs: number
  /** A clock that nobody sets: a jump of the system's clock must not free keys. */
  readonly now?: () => number
}

/** The verdict on a claim, and whether older keys had to make room. */
export interface MemoryVerdict {
  readonly verdict: KeyVerdict | { readonly type: 'full' }
  readonly dropped: boolean
}

/** A claim and the key that it wants to hold. */
export interface KeyClaiming {
  readonly terms: KeyTerms
  readonly held: HeldKey
}

/** The keys of one tenant, the oldest first. */
interface TenantKeys {
  readonly entries: Map<string, KeyEntry>
  bytes: number
}

const ENTRY_BYTES = 512
const SWEEP_EVERY_MS = 60_000

/**
 * Keys in the memory of this process. When it is full, the tenant with the most keys loses its oldest settled ones, and
 * the tenant with the most bytes its oldest stored answers: no tenant can push out the keys of another that has fewer.
 */
export class MemoryKeys {
  readonly #options: Required<MemoryKeysOptions>
  readonly #tenants = new Map<string, TenantKeys>()
  #count = 0
  #bytes = 0
  #sweptAt: number

  constructor(options: MemoryKeysOptions) {
    this.#options = { ...keyBounds, now: () => performance.now(), ...options }
    this.#sweptAt = this.#options.now()
  }

  /** The number of keys and their bytes. */
  get size(): { readonly keys: number; readonly bytes: number } {
    return { keys: this.#count, bytes: this.#bytes }
  }

  claim({ terms, held }: KeyClaiming): MemoryVerdict {
    const { leaseMs, maxKeys, now: clock } = this.#options
    const now = clock()
    if (now - this.#sweptAt > SWEEP_EVERY_MS) this.#sweep(now)
    const entry = this.#entryOf(held)
    const verdict = judgeClaim(entry, terms, now)
    if (verdict.type !== 'claimed') return { verdict, dropped: false }
    const isFull = entry === undefined && this.#count >= maxKeys
    if (isFull && !this.#dropOldest(now)) return { verdict: { type: 'full' }, dropped: false }
    this.#put(held, runningEntry(held, { now, leaseMs }))
    return { verdict, dropped: isFull }
  }

  renew(keys: readonly HeldKey[]): void {
    const { leaseMs, now } = this.#options
    for (const held of keys)
      if (mayRenew(this.#entryOf(held), held)) this.#put(held, runningEntry(held, { now: now(), leaseMs }))
  }

  settle(held: HeldKey, end: KeyEnd): void {
    if (!maySettle(this.#entryOf(held), held)) return
    this.#remove(held)
    const entry = settledEntry(held, end, this.#options.now())
    if (entry === undefined) return
    this.#put(held, entry)
    while (this.#bytes > this.#options.maxBytes && this.#dropAnswer());
  }

  #entryOf({ tenantId, digest }: HeldKey): KeyEntry | undefined {
    return this.#tenants.get(tenantId)?.entries.get(digest)
  }

  #put(held: HeldKey, entry: KeyEntry): void {
    this.#remove(held)
    const tenant = this.#tenants.get(held.tenantId) ?? { entries: new Map(), bytes: 0 }
    this.#tenants.set(held.tenantId, tenant)
    tenant.entries.set(held.digest, entry)
    this.#count += 1
    this.#grow(tenant, bytesOf(entry))
  }

  #remove({ tenantId, digest }: Pick<HeldKey, 'tenantId' | 'digest'>): void {
    const tenant = this.#tenants.get(tenantId)
    const entry = tenant?.entries.get(digest)
    if (tenant === undefined || entry === undefined) return
    tenant.entries.delete(digest)
    this.#count -= 1
    this.#grow(tenant, -bytesOf(entry))
    if (tenant.entries.size === 0) this.#tenants.delete(tenantId)
  }

  #grow(tenant: TenantKeys, bytes: number): void {
    tenant.bytes += bytes
    this.#bytes += bytes
  }

  #sweep(now: number): void {
    this.#sweptAt = now
    for (const [tenantId, { entries }] of this.#tenants)
      for (const [digest, { expiresAt }] of entries) if (expiresAt <= now) this.#remove({ tenantId, digest })
  }

  /** Makes room for a key; false when every key of the largest tenant is running. */
  #dropOldest(now: number): boolean {
    this.#sweep(now)
    if (this.#count < this.#options.maxKeys) return true
    const [tenantId, tenant] = this.#largest(({ entries }) => entries.size)
    for (const [digest, { state }] of tenant?.entries ?? []) {
      if (state.type === 'running') continue
      this.#remove({ tenantId, digest })
      return true
    }
    return false
  }

  /** Drops one stored answer; its key stays, so that no retry has a second effect. */
  #dropAnswer(): boolean {
    const [, tenant] = this.#largest(({ bytes }) => bytes)
    for (const [digest, entry] of tenant?.entries ?? []) {
      if (tenant === undefined || entry.state.type !== 'kept') continue
      const left: KeyEntry = { ...entry, state: { type: 'not_replayable' } }
      tenant.entries.set(digest, left)
      this.#grow(tenant, bytesOf(left) - bytesOf(entry))
      return true
    }
    return false
  }

  #largest(size: (tenant: TenantKeys) => number): readonly [string, TenantKeys | undefined] {
    let largest: readonly [string, TenantKeys | undefined] = ['', undefined]
    let most = 0
    for (const each of this.#tenants) {
      const own = size(each[1])
      if (own <= most) continue
      most = own
      largest = each
    }
    return largest
  }
}

function bytesOf({ state }: KeyEntry): number {
  if (state.type !== 'kept') return ENTRY_BYTES
  const { headers, body } = state.answer
  return ENTRY_BYTES + body.length + headers.reduce((sum, text) => sum + text.length, 0)
}

/** Makes a store in this process alone. Its keys need no lease: they are lost with the requests that hold them. */
export function createMemoryStore(keys = new MemoryKeys({ leaseMs: Number.POSITIVE_INFINITY })): KeyStore {
  return {
    claim(terms) {
      const held = heldKeyOf(terms)
      const { verdict, dropped } = keys.claim({ terms, held })
      if (verdict.type === 'full') return { type: 'store_error', cause: 'FULL' }
      return verdict.type === 'claimed' ? { type: 'claimed', held, dropped } : verdict
    },
    settle: (held, end) => keys.settle(held, end),
    isReachable: () => true,
    close: () => Promise.resolve(),
  }
}
