import type { Outcome } from '@agentic-rest/profile'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Claim, Idempotency, Scope, StoredOutcome } from '../../../src/runtime/contract.ts'
import { createIdempotency, sweepIdempotency } from '../../../src/runtime/idempotency.ts'
import type { Store } from '../../../src/runtime/store.ts'
import { TakenOverError } from '../../../src/runtime/store.ts'
import { addEffect, countEffects, createEffects } from './effects.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { createTestClock } from './test-clock.ts'

const newScope = (): Scope => ({
  tenantId: `t-${crypto.randomUUID()}`,
  operation: 'create-note',
  requester: 'alice',
})
const stored: StoredOutcome = {
  outcome: {
    type: 'created',
    body: { z: 1, a: 'nul \0, lone \ud800, "quoted"', nested: { __proto__: null } },
  },
  headers: { Location: '/notes/1' },
}

function claimed(claim: Claim): Extract<Claim, { kind: 'claimed' }> {
  if (claim.kind !== 'claimed') throw new Error(`expected a claim, got ${claim.kind}`)
  return claim
}

/** One effect per key, in all cases. */
export function describeIdempotency(store: StoreUnderTest): void {
  describe('idempotency', () => {
    beforeAll(() => createEffects(store()))
    describeKeys(store)
    describeLeases(store)
    describeExpiry(store)
  })
}

function describeKeys(store: StoreUnderTest): void {
  it('replays the stored outcome for the same request, value for value', async () => {
    const keys = createIdempotency(store())
    const scope = newScope()
    const claim = claimed(await keys.claim(scope, 'key', 'same'))
    await store().transaction((sql) => claim.complete(sql, stored))
    const replay = await keys.claim(scope, 'key', 'same')
    expect(replay).toEqual({ kind: 'replay', stored: JSON.parse(JSON.stringify(stored)) })
    expect(JSON.stringify(replay)).toBe(JSON.stringify({ kind: 'replay', stored }))
  })

  it('tells another request under the same key, and another requester, from the same request', async () => {
    const keys = createIdempotency(store())
    const scope = newScope()
    const claim = claimed(await keys.claim(scope, 'key', 'one'))
    await store().transaction((sql) => claim.complete(sql, stored))
    expect(await keys.claim(scope, 'key', 'two')).toEqual({ kind: 'mismatch' })
    expect(await keys.claim({ ...scope, requester: 'bob' }, 'key', 'one')).toEqual({ kind: 'mismatch' })
  })

  it('says that a request is still running, whatever it asks for', async () => {
    const keys = createIdempotency(store())
    const scope = newScope()
    const claim = claimed(await keys.claim(scope, 'key', 'one'))
    expect(await keys.claim(scope, 'key', 'one')).toEqual({ kind: 'in_progress' })
    expect(await keys.claim(scope, 'key', 'two')).toEqual({ kind: 'in_progress' })
    await claim.release()
  })

  it('frees a released key, for another request as well', async () => {
    const keys = createIdempotency(store())
    const scope = newScope()
    await claimed(await keys.claim(scope, 'key', 'without answers')).release()
    const claim = claimed(await keys.claim(scope, 'key', 'with answers'))
    await store().transaction((sql) => claim.complete(sql, stored))
    expect(await keys.claim(scope, 'key', 'with answers')).toMatchObject({ kind: 'replay' })
    await claim.release()
    expect(await keys.claim(scope, 'key', 'with answers')).toMatchObject({ kind: 'replay' })
  })

  it.each([
    ['tenant', { tenantId: 'other-tenant' }],
    ['operation', { operation: 'other-operation' }],
  ])('does not know the key of another %s', async (_name, other) => {
    const keys = createIdempotency(store())
    const scope = newScope()
    const claim = claimed(await keys.claim(scope, 'key', 'same'))
    await store().transaction((sql) => claim.complete(sql, stored))
    const elsewhere = claimed(await keys.claim({ ...scope, ...other }, 'key', 'same'))
    await elsewhere.release()
  })

  it('has one effect for 50 claims of one key at once', async () => {
    const keys = createIdempotency(store())
    const scope = newScope()
    const results = await Promise.all(Array.from({ length: 50 }, () => keyedEffect(store(), keys, scope)))
    expect(await countEffects(store(), scope.tenantId)).toBe(1)
    expect(results.filter((kind) => kind === 'claimed')).toHaveLength(1)
    expect(results).not.toContain('mismatch')
    expect(await keys.claim(scope, 'key', 'same')).toEqual({ kind: 'replay', stored: done })
  })

  it('keeps neither the effect nor the outcome of a transaction that fails', async () => {
    const keys = createIdempotency(store())
    const scope = newScope()
    const claim = claimed(await keys.claim(scope, 'key', 'same'))
    const work = store().transaction(async (sql) => {
      await addEffect(sql, scope.tenantId, scope.tenantId)
      await claim.complete(sql, done)
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    await claim.release()
    expect(await countEffects(store(), scope.tenantId)).toBe(0)
    expect(await keyedEffect(store(), keys, scope)).toBe('claimed')
  })

  const noSuccess: readonly Outcome[] = [
    { type: 'error', code: 'X', message: 'x' },
    { type: 'conflict', code: 'X', message: 'x' },
    { type: 'clarification_required', message: 'x', requiredInputs: [question('goal')] },
  ]
  it.each(noSuccess)('refuses to keep an outcome of type $type', async (outcome) => {
    const keys = createIdempotency(store())
    const claim = claimed(await keys.claim(newScope(), 'key', 'same'))
    const work = store().transaction((sql) => claim.complete(sql, { outcome, headers: {} }))
    await expect(work).rejects.toThrow(`an outcome of type ${outcome.type} is not kept`)
    await claim.release()
  })

  it('takes keys of any length and any characters', async () => {
    const keys = createIdempotency(store())
    const scope = newScope()
    for (const key of ['', 'x'.repeat(10_000), 'nul \0', '__proto__', "'; DROP TABLE effects; --", 'é']) {
      const claim = claimed(await keys.claim(scope, key, 'same'))
      await store().transaction((sql) => claim.complete(sql, done))
      expect(await keys.claim(scope, key, 'same')).toMatchObject({ kind: 'replay' })
    }
  })
}

const done: StoredOutcome = { outcome: { type: 'success', body: { done: true } }, headers: {} }

function question(name: string) {
  return { name, location: 'body', type: 'string', required: true, question: `${name}?` } as const
}

async function keyedEffect(store: Store, keys: Idempotency, scope: Scope): Promise<Claim['kind']> {
  const claim = await keys.claim(scope, 'key', 'same')
  if (claim.kind !== 'claimed') return claim.kind
  await store.transaction(async (sql) => {
    await addEffect(sql, scope.tenantId, scope.tenantId)
    await claim.complete(sql, done)
  })
  return 'claimed'
}

function describeLeases(store: StoreUnderTest): void {
  it('gives the key of a dead process to the next one when its lease ends, and not before', async () => {
    const clock = createTestClock()
    const keys = createIdempotency(store(), { now: clock.now, leaseSeconds: 30 })
    const scope = newScope()
    claimed(await keys.claim(scope, 'key', 'same'))
    clock.forward(29)
    expect(await keys.claim(scope, 'key', 'same')).toEqual({ kind: 'in_progress' })
    clock.forward(1)
    const next = claimed(await keys.claim(scope, 'key', 'same'))
    await next.release()
  })

  it('rolls back the effect of a process whose key was taken over', async () => {
    const clock = createTestClock()
    const keys = createIdempotency(store(), { now: clock.now, leaseSeconds: 30 })
    const scope = newScope()
    const late = claimed(await keys.claim(scope, 'key', 'same'))
    clock.forward(31)
    const next = claimed(await keys.claim(scope, 'key', 'same'))
    const effect = (claim: typeof late) =>
      store().transaction(async (sql) => {
        await addEffect(sql, scope.tenantId, scope.tenantId)
        await claim.complete(sql, done)
      })
    await expect(effect(late)).rejects.toThrow(TakenOverError)
    await late.release()
    await effect(next)
    await expect(effect(late)).rejects.toThrow(TakenOverError)
    expect(await countEffects(store(), scope.tenantId)).toBe(1)
  })

  it('lets a process finish whose lease has ended but whose key nobody took', async () => {
    const clock = createTestClock()
    const keys = createIdempotency(store(), { now: clock.now, leaseSeconds: 30 })
    const scope = newScope()
    const late = claimed(await keys.claim(scope, 'key', 'same'))
    clock.forward(1000)
    await store().transaction((sql) => late.complete(sql, done))
    expect(await keys.claim(scope, 'key', 'same')).toEqual({ kind: 'replay', stored: done })
  })

  it('renews the lease of a run that takes its time', async () => {
    const clock = createTestClock()
    const keys = createIdempotency(store(), { now: clock.now, leaseSeconds: 0.03 })
    const scope = newScope()
    const claim = claimed(await keys.claim(scope, 'key', 'same'))
    clock.forward(1)
    const leaseEnd = new Date(clock.now().getTime() + 30)
    await expect.poll(() => leaseOf(store(), scope)).toEqual(leaseEnd)
    expect(await keys.claim(scope, 'key', 'same')).toEqual({ kind: 'in_progress' })
    await claim.release()
  })
}

async function leaseOf(store: Store, { tenantId }: Scope): Promise<unknown> {
  const [row] = await store.query('SELECT lease_until FROM agentic_idempotency WHERE tenant_id = $1', [
    tenantId,
  ])
  return row?.['lease_until']
}

function describeExpiry(store: StoreUnderTest): void {
  it('forgets an outcome after 24 hours, and not before', async () => {
    const clock = createTestClock()
    const keys = createIdempotency(store(), clock)
    const scope = newScope()
    const claim = claimed(await keys.claim(scope, 'key', 'same'))
    await store().transaction((sql) => claim.complete(sql, done))
    clock.forward(24 * 60 * 60 - 1)
    expect(await keys.claim(scope, 'key', 'same')).toEqual({ kind: 'replay', stored: done })
    clock.forward(1)
    await claimed(await keys.claim(scope, 'key', 'another')).release()
  })

  it('sweeps expired keys in batches of 512 and leaves the others', async () => {
    const clock = createTestClock()
    await fillKeys(store(), { count: 1200, expiresAt: clock.now() })
    await fillKeys(store(), { count: 3, expiresAt: new Date(clock.now().getTime() + 1) })
    await sweepUntilDone(store(), new Date(clock.now().getTime() - 1))
    const sizes = [1, 2, 3, 4].map(() => () => sweepIdempotency(store(), clock))
    const removed: number[] = []
    for (const sweep of sizes) removed.push(await sweep())
    expect(removed).toEqual([512, 512, 176, 0])
    const [left] = await store().query(
      "SELECT count(*)::int AS count FROM agentic_idempotency WHERE operation = 'fill'",
    )
    expect(left).toEqual({ count: 3 })
  })
}

async function fillKeys(
  store: Store,
  { count, expiresAt }: { count: number; expiresAt: Date },
): Promise<void> {
  await store.query(
    `INSERT INTO agentic_idempotency (tenant_id, operation, key_hash, fence, lease_until, expires_at)
     SELECT 'sweep', 'fill', $3 || n, 0, $2::timestamptz, $2::timestamptz FROM generate_series(1, $1::int) AS n`,
    [count, expiresAt, crypto.randomUUID()],
  )
}

/** Removes rows of other tests. */
async function sweepUntilDone(store: Store, time: Date): Promise<void> {
  while ((await sweepIdempotency(store, { now: () => time })) > 0);
}
