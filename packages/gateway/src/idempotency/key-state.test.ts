import { expect, test } from 'vitest'
import {
  type HeldKey,
  judgeClaim,
  type KeyEntry,
  type KeyState,
  mayRenew,
  maySettle,
  runningEntry,
  settledEntry,
} from './key-state.ts'

const held: HeldKey = { digest: 'd', tenantId: 'acme', binding: 'same', ttlMs: 1000, fence: 'f1' }
const answer = { status: 201, headers: [], body: 'x' }
const entry = (state: KeyState, more: Partial<KeyEntry> = {}): KeyEntry => ({
  binding: 'same',
  fence: 'f1',
  expiresAt: 100,
  state,
  ...more,
})

const kept = entry({ type: 'kept', answer })
const running = entry({ type: 'running', leaseUntil: 50 })
const unknown = entry({ type: 'unknown' })
const notReplayable = entry({ type: 'not_replayable' })

test.each<[string, KeyEntry | undefined, number, string, string]>([
  ['a new key', undefined, 0, 'claimed', 'claimed'],
  ['an expired key', kept, 100, 'claimed', 'claimed'],
  ['a kept key', kept, 99, 'replayed', 'replayed'],
  ['a running key', running, 49, 'in_progress', 'in_progress'],
  ['a running key without its lease', running, 50, 'unknown', 'claimed'],
  ['an unknown key', unknown, 0, 'unknown', 'claimed'],
  ['a key that is not replayable', notReplayable, 0, 'not_replayable', 'not_replayable'],
])('%s', (_name, found, now, refuses, resends) => {
  expect(judgeClaim(found, { binding: 'same', resends: false }, now).type).toBe(refuses)
  expect(judgeClaim(found, { binding: 'same', resends: true }, now).type).toBe(resends)
})

test.each([kept, running, unknown, notReplayable])(
  'another request under a key in the state $state.type is refused, until the key has expired',
  (found) => {
    const other = { binding: 'other', resends: true }
    expect(judgeClaim(found, other, 99)).toEqual({ type: 'mismatch' })
    expect(judgeClaim(found, other, 100)).toEqual({ type: 'claimed' })
  },
)

test('a kept key has its answer', () => {
  expect(judgeClaim(kept, { binding: 'same', resends: false }, 0)).toEqual({ type: 'replayed', answer })
})

test('a running key outlasts its lease by its time to live', () => {
  expect(runningEntry(held, { now: 10, leaseMs: 30 })).toEqual({
    binding: 'same',
    fence: 'f1',
    expiresAt: 1040,
    state: { type: 'running', leaseUntil: 40 },
  })
})

test('only the holder of the last claim renews and settles a key; a lost key is brought back', () => {
  const other = { ...held, fence: 'f2' }
  expect([mayRenew(running, held), mayRenew(running, other), mayRenew(undefined, held)]).toEqual([
    true,
    false,
    true,
  ])
  expect([mayRenew(kept, held), mayRenew(unknown, held)]).toEqual([false, false])
  expect([maySettle(running, held), maySettle(running, other), maySettle(undefined, held)]).toEqual([
    true,
    false,
    true,
  ])
  // A gateway that was paused beyond its lease still knows the outcome.
  expect(maySettle(entry({ type: 'running', leaseUntil: -1 }), held)).toBe(true)
})

test('a settled key lives for its time from then on, and a free one is gone', () => {
  expect(settledEntry(held, { type: 'kept', answer }, 5)).toEqual({ ...kept, expiresAt: 1005 })
  expect(settledEntry(held, { type: 'unknown' }, 5)).toEqual({ ...unknown, expiresAt: 1005 })
  expect(settledEntry(held, { type: 'not_replayable' }, 5)).toEqual({ ...notReplayable, expiresAt: 1005 })
  expect(settledEntry(held, { type: 'free' }, 5)).toBeUndefined()
})
