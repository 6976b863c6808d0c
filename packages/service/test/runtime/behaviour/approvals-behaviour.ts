import { beforeAll, describe, expect, it } from 'vitest'
import { createApprovals, sweepApprovals } from '../../../src/runtime/approvals/approvals.ts'
import type { ApprovalCheck, Approvals, Reservation, Scope } from '../../../src/runtime/contract.ts'
import type { Store } from '../../../src/runtime/store.ts'
import { TakenOverError } from '../../../src/runtime/store.ts'
import { addEffect, countEffects, createEffects } from './effects.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { createTestClock } from './test-clock.ts'

const newScope = (): Scope => ({ tenantId: `t-${crypto.randomUUID()}`, operation: 'pay', requester: 'alice' })
const DAY = 24 * 60 * 60
const wanted = {
  message: 'Paying needs a second pair of eyes.',
  approver: { name: 'Finance' },
  role: 'payments:approve',
}
const present = (token: string) => ({ token, role: wanted.role })
const byBob = { approve: true, by: 'bob', roles: ['reader', 'payments:approve'] }

function approved(check: ApprovalCheck): Extract<ApprovalCheck, { kind: 'approved' }> {
  if (check.kind !== 'approved') throw new Error(`expected an approval, got ${check.kind}`)
  return check
}

/** Two people for one effect, once. */
export function describeApprovals(store: StoreUnderTest): void {
  describe('approvals', () => {
    beforeAll(() => createEffects(store()))
    describeDeciding(store)
    describeTokens(store)
    describeRedeeming(store)
    describeTime(store)
  })
}

function describeDeciding(store: StoreUnderTest): void {
  it('shows what is to be decided, and who decided it', async () => {
    const clock = createTestClock()
    const approvals = createApprovals(store(), clock)
    const scope = newScope()
    const { approvalId } = await approvals.request(scope, 'digest', wanted)
    const view = {
      approvalId,
      state: 'pending',
      operation: 'pay',
      requester: 'alice',
      ...wanted,
      request: null,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      quorum: 1,
      decisions: [],
      via: [],
      createdAt: '2030-01-01T00:00:00.000Z',
      expiresAt: '2030-01-02T00:00:00.000Z',
    }
    expect(await approvals.view(scope.tenantId, approvalId)).toEqual(view)
    expect(await approvals.decide(scope.tenantId, approvalId, byBob)).toBe('decided')
    expect(await approvals.view(scope.tenantId, approvalId)).toEqual({
      ...view,
      state: 'approved',
      decidedBy: 'bob',
      decidedAt: '2030-01-01T00:00:00.000Z',
      decisions: [{ decidedBy: 'bob', verdict: 'approved', decidedAt: '2030-01-01T00:00:00.000Z' }],
    })
  })

  it.each([
    ['the requester, whatever the roles', { ...byBob, by: 'alice' }, 'own_request'],
    ['somebody without the role', { ...byBob, roles: ['payments', 'payments:approve '] }, 'role_missing'],
    ['somebody without any role', { ...byBob, roles: [] }, 'role_missing'],
  ])('is not decided by %s', async (_who, decision, result) => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId, token } = await approvals.request(scope, 'digest', wanted)
    for (const approve of [true, false]) {
      expect(await approvals.decide(scope.tenantId, approvalId, { ...decision, approve })).toBe(result)
    }
    expect(await approvals.check(scope, 'digest', present(token))).toEqual({ kind: 'pending', approvalId })
  })

  it('is decided neither by the agent that asked nor by the person behind it, who is shown', async () => {
    const approvals = createApprovals(store())
    const scope = { ...newScope(), requester: 'agent' }
    const { approvalId } = await approvals.request(scope, 'digest', { ...wanted, requestedFor: 'dave' })
    expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({
      state: 'pending',
      requester: 'agent',
      requestedFor: 'dave',
    })
    for (const [by, result] of [
      ['dave', 'own_request'],
      ['agent', 'own_request'],
      ['bob', 'decided'],
    ] as const) {
      expect(await approvals.decide(scope.tenantId, approvalId, { ...byBob, by })).toBe(result)
    }
    await expect(
      store().query(`UPDATE agentic_approvals SET decided_by = 'dave' WHERE approval_id = $1`, [approvalId]),
    ).rejects.toThrow('agentic_approvals')
  })

  it('is decided once, of many decisions at once', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId } = await approvals.request(scope, 'digest', wanted)
    const decide = (_: unknown, index: number) =>
      approvals.decide(scope.tenantId, approvalId, {
        ...byBob,
        approve: index % 2 === 0,
        by: `decider-${index}`,
      })
    const results = await Promise.all(Array.from({ length: 20 }, decide))
    expect(results.toSorted()).toEqual(['decided', ...Array(19).fill('not_pending')])
    const decider = `decider-${results.indexOf('decided')}`
    expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({ decidedBy: decider })
  })

  it('is unknown to another tenant and under another id', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId } = await approvals.request(scope, 'digest', wanted)
    for (const id of ['', 'unknown', 'nul \0', '\ud800', 'x'.repeat(10_000)]) {
      expect(await approvals.view(scope.tenantId, id)).toBeUndefined()
      expect(await approvals.decide(scope.tenantId, id, byBob)).toBe('unknown')
    }
    expect(await approvals.view('other', approvalId)).toBeUndefined()
    expect(await approvals.decide('other', approvalId, byBob)).toBe('unknown')
    expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({ state: 'pending' })
  })

  it('is one approval for the same request asked again, by many at once, and each token works', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const ask = () => approvals.request(scope, 'digest', wanted)
    const asked = await Promise.all(Array.from({ length: 10 }, ask))
    const [first] = asked
    expect(new Set(asked.map(({ approvalId }) => approvalId)).size).toBe(1)
    expect(new Set(asked.map(({ token }) => token)).size).toBe(10)
    await approvals.decide(scope.tenantId, first?.approvalId ?? '', byBob)
    for (const { token } of [...asked, await ask()]) {
      expect(await approvals.check(scope, 'digest', present(token))).toMatchObject({
        kind: 'approved',
        decidedBy: 'bob',
      })
    }
  })

  it('keeps the twenty newest tokens of one approval', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const tokens: string[] = []
    for (let count = 0; count < 23; count += 1)
      tokens.push((await approvals.request(scope, 'digest', wanted)).token)
    const kinds = await Promise.all(
      tokens.map(async (token) => (await approvals.check(scope, 'digest', present(token))).kind),
    )
    expect(kinds).toEqual([...Array(3).fill('invalid'), ...Array(20).fill('pending')])
  })

  it.each([
    ['request', { digest: 'another' }],
    ['role', { role: 'payments:chief' }],
    ['requester', { requester: 'carol' }],
    ['operation', { operation: 'refund' }],
  ])('is another approval for another %s', async (_what, change) => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { digest = 'digest', role = wanted.role, ...rest } = change as Record<string, string>
    const one = await approvals.request(scope, 'digest', wanted)
    const two = await approvals.request({ ...scope, ...rest }, digest, { ...wanted, role })
    expect(two.approvalId).not.toBe(one.approvalId)
  })
}

async function approvedRequest(approvals: Approvals, scope: Scope) {
  const { approvalId, token } = await approvals.request(scope, 'digest', wanted)
  await approvals.decide(scope.tenantId, approvalId, byBob)
  return { approvalId, token }
}

function describeTokens(store: StoreUnderTest): void {
  it('has tokens of 256 bits, and keeps none of them', async () => {
    const approvals = createApprovals(store())
    const { token } = await approvals.request(newScope(), 'digest', wanted)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const rows = await store().query(
      `SELECT agentic_approval_tokens::text AS row FROM agentic_approval_tokens
       UNION ALL SELECT agentic_approvals::text FROM agentic_approvals`,
    )
    expect(rows.length).toBeGreaterThan(1)
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it('refuses a token with any character changed, added or left out, and still takes the right one', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { token } = await approvedRequest(approvals, scope)
    const changed = Array.from(token, (char, index) => {
      const other = char === 'A' ? 'B' : 'A'
      return token.slice(0, index) + other + token.slice(index + 1)
    })
    const cut = Array.from(token, (_char, index) => token.slice(0, index) + token.slice(index + 1))
    const bent = ['', ` ${token}`, `${token}=`, token.toUpperCase(), token.toLowerCase(), `${token}\0`, 'é']
    for (const bad of [...changed, ...cut, ...bent]) {
      expect(await approvals.check(scope, 'digest', present(bad)), bad).toEqual({ kind: 'invalid' })
    }
    expect(await approvals.check(scope, 'digest', present(token))).toMatchObject({ kind: 'approved' })
  })

  it.each([
    ['tenant', { tenantId: 'other' }, 'digest'],
    ['operation', { operation: 'refund' }, 'digest'],
    ['requester', { requester: 'bob' }, 'digest'],
    ['request', {}, 'another'],
  ])('is not valid for another %s, and stays valid for its own', async (_what, change, digest) => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const pending = await approvals.request(scope, 'digest', wanted)
    expect(await approvals.check({ ...scope, ...change }, digest, present(pending.token))).toEqual({
      kind: 'invalid',
    })
    await approvals.decide(scope.tenantId, pending.approvalId, byBob)
    expect(await approvals.check({ ...scope, ...change }, digest, present(pending.token))).toEqual({
      kind: 'invalid',
    })
    expect(await approvals.check(scope, 'digest', present(pending.token))).toMatchObject({ kind: 'approved' })
  })

  it('is not valid where another role has to decide, pending or approved', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId, token } = await approvals.request(scope, 'digest', wanted)
    const presented = { token, role: 'payments:chief' }
    expect(await approvals.check(scope, 'digest', presented)).toEqual({ kind: 'other_role' })
    await approvals.decide(scope.tenantId, approvalId, byBob)
    expect(await approvals.check(scope, 'digest', presented)).toEqual({ kind: 'other_role' })
  })

  it('is not valid when it was rejected; the same request can then be asked for again', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId, token } = await approvals.request(scope, 'digest', wanted)
    await approvals.decide(scope.tenantId, approvalId, { ...byBob, approve: false })
    expect(await approvals.check(scope, 'digest', present(token))).toEqual({ kind: 'invalid' })
    expect(await approvals.decide(scope.tenantId, approvalId, byBob)).toBe('decided_already')
    const again = await approvals.request(scope, 'digest', wanted)
    expect(again.approvalId).not.toBe(approvalId)
    expect(await approvals.check(scope, 'digest', present(again.token))).toMatchObject({ kind: 'pending' })
  })
}

async function reserved(check: ApprovalCheck): Promise<Reservation> {
  const reservation = await approved(check).reserve()
  if (reservation === undefined) throw new Error('expected a reservation')
  return reservation
}

async function approvedEffect(
  store: Store,
  scope: Scope,
  reservation: Reservation | undefined,
): Promise<'done' | 'refused'> {
  if (reservation === undefined) return 'refused'
  try {
    await store.transaction(async (sql) => {
      await reservation.redeem(sql)
      await addEffect(sql, scope.tenantId, scope.tenantId)
    })
    return 'done'
  } catch (error) {
    if (error instanceof TakenOverError) return 'refused'
    throw error
  }
}

function describeRedeeming(store: StoreUnderTest): void {
  it('is used once, of 100 at once', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId, token } = await approvedRequest(approvals, scope)
    const use = async () => {
      const check = await approvals.check(scope, 'digest', present(token))
      return approvedEffect(store(), scope, check.kind === 'approved' ? await check.reserve() : undefined)
    }
    const results = await Promise.all(Array.from({ length: 100 }, use))
    expect(results.filter((result) => result === 'done')).toHaveLength(1)
    expect(await countEffects(store(), scope.tenantId)).toBe(1)
    expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({ state: 'used' })
    expect(await approvals.check(scope, 'digest', present(token))).toEqual({ kind: 'invalid' })
  })

  it('is reserved once, of 100 at once, until it is released or its lease has ended', async () => {
    const clock = createTestClock()
    const approvals = createApprovals(store(), { now: clock.now, leaseSeconds: 30 })
    const scope = newScope()
    const { token } = await approvedRequest(approvals, scope)
    const check = approved(await approvals.check(scope, 'digest', present(token)))
    const all = await Promise.all(Array.from({ length: 100 }, () => check.reserve()))
    const [first, ...others] = all.filter((reservation) => reservation !== undefined)
    expect(others).toEqual([])
    await first?.release()
    const second = await reserved(check)
    expect(await check.reserve()).toBeUndefined()
    clock.forward(30)
    const third = await reserved(check)
    await second.release()
    expect(await check.reserve()).toBeUndefined()
    expect(await approvedEffect(store(), scope, second)).toBe('refused')
    expect(await approvedEffect(store(), scope, third)).toBe('done')
    expect(await check.reserve()).toBeUndefined()
    expect(await countEffects(store(), scope.tenantId)).toBe(1)
  })

  it('is not used up by a transaction that fails', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { token } = await approvedRequest(approvals, scope)
    const reservation = await reserved(await approvals.check(scope, 'digest', present(token)))
    const failing = store().transaction(async (sql) => {
      await reservation.redeem(sql)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await approvedEffect(store(), scope, reservation)).toBe('done')
    expect(await approvedEffect(store(), scope, reservation)).toBe('refused')
  })

  it.each(['rejected', 'redeemed', 'expired', 'withdrawn'])('stays %s in SQL as well', async (state) => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId } = await approvals.request(scope, 'digest', wanted)
    const set = 'UPDATE agentic_approvals SET state = $1 WHERE approval_id = $2'
    await store().query(set, [state, approvalId])
    await expect(store().query(set, ['approved', approvalId])).rejects.toMatchObject({ code: '23514' })
  })

  it('cannot have been decided by its requester, in SQL as well', async () => {
    const approvals = createApprovals(store())
    const { approvalId } = await approvals.request(newScope(), 'digest', wanted)
    const decided = store().query(
      'UPDATE agentic_approvals SET decided_by = requester WHERE approval_id = $1',
      [approvalId],
    )
    await expect(decided).rejects.toMatchObject({ code: '23514' })
  })
}

function describeTime(store: StoreUnderTest): void {
  it('expires undecided, and the same request can be asked for again', async () => {
    const clock = createTestClock()
    const approvals = createApprovals(store(), { now: clock.now, expirySeconds: 60 })
    const scope = newScope()
    const { approvalId, token } = await approvals.request(scope, 'digest', wanted)
    clock.forward(60)
    expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({ state: 'expired' })
    expect(await approvals.check(scope, 'digest', present(token))).toEqual({ kind: 'invalid' })
    expect(await approvals.decide(scope.tenantId, approvalId, byBob)).toBe('expired')
    const again = await approvals.request(scope, 'digest', wanted)
    expect(again.approvalId).not.toBe(approvalId)
    expect(await approvals.decide(scope.tenantId, again.approvalId, byBob)).toBe('decided')
  })

  it('expires after it was approved, even between the check and the effect', async () => {
    const clock = createTestClock()
    const approvals = createApprovals(store(), { now: clock.now, expirySeconds: 60 })
    const scope = newScope()
    const { token } = await approvedRequest(approvals, scope)
    clock.forward(59)
    const reservation = await reserved(await approvals.check(scope, 'digest', present(token)))
    clock.forward(1)
    expect(await approvedEffect(store(), scope, reservation)).toBe('refused')
    expect(await approvals.check(scope, 'digest', present(token))).toEqual({ kind: 'invalid' })
    expect(await countEffects(store(), scope.tenantId)).toBe(0)
  })

  it('can be seen for 30 days after it has expired', async () => {
    const clock = createTestClock()
    const approvals = createApprovals(store(), clock)
    const scope = newScope()
    const { approvalId } = await approvals.request(scope, 'digest', wanted)
    clock.forward(31 * DAY - 1)
    await sweepApprovals(store(), clock)
    expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({ state: 'expired' })
    clock.forward(1)
    await sweepApprovals(store(), clock)
    expect(await approvals.view(scope.tenantId, approvalId)).toBeUndefined()
  })
}
