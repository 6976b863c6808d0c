import type { KeptAnswer, KeyEnd } from '../exchange.ts'

/** A request's claim on a key: plain JSON, which one process can send to another. */
export interface KeyTerms {
  /** The digest of tenant, route and key. */
  readonly digest: string
  readonly tenantId: string
  /** The digest of caller and request: another one under the same key is refused. */
  readonly binding: string
  readonly ttlMs: number
  /** A key without a known outcome may be claimed again. */
  readonly resends: boolean
}

/** A claimed key. Only the request with the same fence can renew or settle it. */
export interface HeldKey extends Pick<KeyTerms, 'digest' | 'tenantId' | 'binding' | 'ttlMs'> {
  readonly fence: string
}

/** The state of a key, with the fence of its last claim. A running key whose lease has ended is unknown. */
export type KeyState =
  | { readonly type: 'running'; readonly leaseUntil: number }
  | { readonly type: 'kept'; readonly answer: KeptAnswer }
  | { readonly type: 'unknown' | 'not_replayable' }

/** A key in the store. */
export interface KeyEntry {
  readonly binding: string
  readonly fence: string
  readonly expiresAt: number
  readonly state: KeyState
}

/** The verdict on a claim. */
export type KeyVerdict =
  | { readonly type: 'claimed' }
  | { readonly type: 'in_progress' | 'mismatch' | 'unknown' | 'not_replayable' }
  | { readonly type: 'replayed'; readonly answer: KeptAnswer }

const CLAIMED: KeyVerdict = { type: 'claimed' }

/** Decides on a claim. The same rules are in the script for Redis. */
export function judgeClaim(
  entry: KeyEntry | undefined,
  { binding, resends }: Pick<KeyTerms, 'binding' | 'resends'>,
  now: number,
): KeyVerdict {
  if (entry === undefined || entry.expiresAt <= now) return CLAIMED
  if (entry.binding !== binding) return { type: 'mismatch' }
  const { state } = entry
  switch (state.type) {
    case 'kept':
      return { type: 'replayed', answer: state.answer }
    case 'not_replayable':
      return { type: 'not_replayable' }
    case 'running':
      if (state.leaseUntil > now) return { type: 'in_progress' }
      return resends ? CLAIMED : { type: 'unknown' }
    case 'unknown':
      return resends ? CLAIMED : { type: 'unknown' }
  }
}

/** The entry of a key from its claim or renewal on. It outlasts its lease: a lost gateway leaves an unknown key, not a free one. */
export function runningEntry(
  { binding, fence, ttlMs }: HeldKey,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): KeyEntry {
  const leaseUntil = now + leaseMs
  return { binding, fence, expiresAt: leaseUntil + ttlMs, state: { type: 'running', leaseUntil } }
}

/** Whether a held key may be renewed. A store that lost the key gets it again. */
export function mayRenew(entry: KeyEntry | undefined, { fence }: HeldKey): boolean {
  return entry === undefined || (entry.fence === fence && entry.state.type === 'running')
}

/** Whether a held key may be settled: nobody else has claimed it since. The outcome is stored even when the store lost the key. */
export function maySettle(entry: KeyEntry | undefined, { fence }: HeldKey): boolean {
  return entry === undefined || entry.fence === fence
}

/** The entry of a settled key; `undefined` for a key that is free again. */
export function settledEntry(
  { binding, fence, ttlMs }: HeldKey,
  end: KeyEnd,
  now: number,
): KeyEntry | undefined {
  const expiresAt = now + ttlMs
  if (end.type === 'kept') return { binding, fence, expiresAt, state: end }
  return end.type === 'free' ? undefined : { binding, fence, expiresAt, state: { type: end.type } }
}
