import { expect, test } from 'vitest'
import type { KeyEnd } from '../exchange.ts'
import type { KeyTerms } from './key-state.ts'
import { heldKeyOf } from './key-store.ts'
import { createMemoryStore, MemoryKeys, type MemoryKeysOptions } from './memory-keys.ts'

const terms = (digest: string, tenantId = 'acme'): KeyTerms => ({
  digest,
  tenantId,
  binding: 'same',
  ttlMs: 1000,
  resends: false,
})

const kept = (body = ''): KeyEnd => ({ type: 'kept', answer: { status: 200, headers: [], body } })

/** Keys with a clock of the test. */
function makeKeys(options: Partial<MemoryKeysOptions> = {}) {
  const clock = { now: 0 }
  const keys = new MemoryKeys({ leaseMs: 100, now: () => clock.now, ...options })
  const claim = (wanted: KeyTerms) => {
    const held = heldKeyOf(wanted)
    return { held, ...keys.claim({ terms: wanted, held }) }
  }
  return {
    clock,
    keys,
    claim,
    verdict: (wanted: KeyTerms) => claim(wanted).verdict.type,
    keep(wanted: KeyTerms, body?: string) {
      keys.settle(claim(wanted).held, kept(body))
      clock.now += 1
    },
  }
}

test('a key goes from running to kept to expired', () => {
  const { clock, keys, claim, verdict } = makeKeys()
  const { held } = claim(terms('a'))
  expect(verdict(terms('a'))).toBe('in_progress')
  clock.now = 90
  keys.renew([held])
  clock.now = 150
  expect(verdict(terms('a'))).toBe('in_progress')
  clock.now = 190
  expect(verdict(terms('a'))).toBe('unknown')
  keys.settle(held, kept('x'))
  expect(verdict(terms('a'))).toBe('replayed')
  clock.now = 1190
  expect(verdict(terms('a'))).toBe('claimed')
  keys.settle(held, kept('late'))
  expect(verdict(terms('a'))).toBe('in_progress')
})

test('a free key leaves nothing', () => {
  const { keys, claim } = makeKeys()
  keys.settle(claim(terms('a')).held, { type: 'free' })
  expect(keys.size).toEqual({ keys: 0, bytes: 0 })
})

test('expired keys are swept', () => {
  const { clock, keys, keep, verdict } = makeKeys()
  keep(terms('a', 'one'))
  keep(terms('b', 'two'), 'x'.repeat(100))
  expect(keys.size).toEqual({ keys: 2, bytes: 1124 })
  clock.now = 100_000
  verdict(terms('c'))
  expect(keys.size).toEqual({ keys: 1, bytes: 512 })
})

test('a full memory drops the oldest settled key of the tenant with the most', () => {
  const { claim, keep, verdict } = makeKeys({ maxKeys: 4 })
  keep(terms('small', 'globex'))
  claim(terms('a'))
  keep(terms('b'))
  keep(terms('c'))
  expect(claim(terms('new', 'other'))).toMatchObject({ verdict: { type: 'claimed' }, dropped: true })
  expect(['a', 'c'].map((digest) => verdict(terms(digest)))).toEqual(['in_progress', 'replayed'])
  expect(verdict(terms('small', 'globex'))).toBe('replayed')
})

test('running keys are never dropped', () => {
  const { claim, verdict } = makeKeys({ maxKeys: 2 })
  claim(terms('a'))
  claim(terms('b'))
  expect(verdict(terms('c'))).toBe('full')
  expect(['a', 'b'].map((digest) => verdict(terms(digest)))).toEqual(['in_progress', 'in_progress'])
})

test('too many bytes drop the oldest answers of the largest tenant, and their keys stay', () => {
  const { keys, keep, verdict } = makeKeys({ maxBytes: 5000 })
  keep(terms('g', 'globex'), 'x'.repeat(500))
  for (const digest of ['a', 'b', 'c']) keep(terms(digest), 'x'.repeat(1000))
  expect(['a', 'b', 'c'].map((digest) => verdict(terms(digest)))).toEqual([
    'not_replayable',
    'replayed',
    'replayed',
  ])
  expect(verdict(terms('g', 'globex'))).toBe('replayed')
  expect(keys.size.bytes).toBeLessThanOrEqual(5000)
})

test('a full store is an error of the store', async () => {
  const store = createMemoryStore(new MemoryKeys({ leaseMs: 100, maxKeys: 0 }))
  expect(await store.claim(terms('a'))).toEqual({ type: 'store_error', cause: 'FULL' })
})
