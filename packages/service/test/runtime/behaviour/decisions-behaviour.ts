import { describe, expect, it } from 'vitest'
import { createApprovals } from '../../../src/runtime/approvals/approvals.ts'
import type { Approvals, Scope, Viewer } from '../../../src/runtime/contract.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { createTestClock } from './test-clock.ts'

const newScope = (): Scope => ({ tenantId: `t-${crypto.randomUUID()}`, operation: 'pay', requester: 'alice' })
const wanted = { message: 'Much.', approver: { name: 'Finance' }, role: 'finance', quorum: 2 }
const as = (by: string, approve = true) => ({ approve, by, roles: ['finance'] })
const viewer = (subject: string, ...roles: string[]): Viewer => ({ subject, roles })

/** Several deciders, lists and withdrawals. */
export function describeDecisions(store: StoreUnderTest): void {
  describe('decisions of approvals', () => {
    describeQuorum(store)
    describeConfirmation(store)
    describeWithdrawal(store)
    describeRaces(store)
    describeList(store)
  })
}

function describeQuorum(store: StoreUnderTest): void {
  it('of 100 deciders at once, exactly as many count as the quorum needs', async () => {
    const approvals = createApprovals(store())
    const { tenantId, ...scope } = newScope()
    const { approvalId, token } = await approvals.request({ tenantId, ...scope }, 'digest', wanted)
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        approvals.decide(tenantId, approvalId, as(`decider-${index}`)),
      ),
    )
    expect(results.toSorted()).toEqual([...Array(2).fill('decided'), ...Array(98).fill('not_pending')])
    const view = await approvals.view(tenantId, approvalId)
    const deciders = results.flatMap((result, index) => (result === 'decided' ? [`decider-${index}`] : []))
    expect(view?.decisions.map(({ decidedBy }) => decidedBy).toSorted()).toEqual(deciders.toSorted())
    expect(view?.decisions.map(({ verdict }) => verdict)).toEqual(['approved', 'approved'])
    expect(view).toMatchObject({ state: 'approved', quorum: 2, decidedBy: view?.decisions[1]?.decidedBy })
    const presented = { token, role: 'finance', quorum: 2 }
    expect(await approvals.check({ tenantId, ...scope }, 'digest', presented)).toMatchObject({
      kind: 'approved',
    })
  })

  it('of 50 decisions of one decider at once, one counts', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId } = await approvals.request(scope, 'digest', wanted)
    const results = await Promise.all(
      Array.from({ length: 50 }, () => approvals.decide(scope.tenantId, approvalId, as('bob'))),
    )
    expect(results.toSorted()).toEqual(['decided', ...Array(49).fill('decided_already')])
    expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({ state: 'pending' })
  })

  it('one rejection rejects, and a decider with an unknown issuer may be any', async () => {
    const approvals = createApprovals(store())
    const { tenantId, ...scope } = newScope()
    const { approvalId } = await approvals.request({ tenantId, ...scope }, 'digest', wanted)
    const decide = (by: string, issuer?: string, approve = true) =>
      approvals.decide(tenantId, approvalId, { ...as(by, approve), issuer, comment: `by ${by}` })
    expect(await decide('bob', 'https://one.example')).toBe('decided')
    expect(await decide('bob')).toBe('decided_already')
    expect(await decide('erin', undefined, false)).toBe('decided')
    expect(await approvals.view(tenantId, approvalId)).toMatchObject({
      state: 'rejected',
      decidedBy: 'erin',
      decisions: [
        { decidedBy: 'bob', decidedByIssuer: 'https://one.example', verdict: 'approved', comment: 'by bob' },
        { decidedBy: 'erin', verdict: 'rejected', comment: 'by erin' },
      ],
    })
  })

  it('an older version cannot approve what needs more deciders than one', async () => {
    const approvals = createApprovals(store())
    const { approvalId } = await approvals.request(newScope(), 'digest', wanted)
    const decided = store().query(
      `UPDATE agentic_approvals SET state = 'approved', decided_by = 'bob' WHERE approval_id = $1`,
      [approvalId],
    )
    await expect(decided).rejects.toMatchObject({ code: '23514' })
  })

  it('an approval with fewer deciders than needed now is asked for anew', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId, token } = await approvals.request(scope, 'digest', { ...wanted, quorum: 1 })
    expect(await approvals.decide(scope.tenantId, approvalId, as('bob'))).toBe('decided')
    const check = (quorum: number) => approvals.check(scope, 'digest', { token, role: 'finance', quorum })
    expect(await check(2)).toEqual({ kind: 'other_role' })
    expect(await check(1)).toMatchObject({ kind: 'approved' })
    const anew = await approvals.request(scope, 'digest', wanted)
    expect([anew.isNew, anew.approvalId === approvalId]).toEqual([true, false])
  })

  it('is not decided with the digest of another request', async () => {
    const approvals = createApprovals(store())
    const { tenantId, ...scope } = newScope()
    const asked = await approvals.request({ tenantId, ...scope }, 'digest', { ...wanted, quorum: 1 })
    const { approvalId, digest: shown } = asked
    const withDigest = (digest: string) => approvals.decide(tenantId, approvalId, { ...as('bob'), digest })
    for (const other of ['other', 'digest']) expect(await withDigest(other)).toBe('changed')
    expect(await approvals.view(tenantId, approvalId)).toMatchObject({ state: 'pending', decisions: [] })
    expect(await withDigest(shown)).toBe('decided')
  })
}

function describeConfirmation(store: StoreUnderTest): void {
  const byRequester = { message: 'Sure?', approver: { name: 'You' }, role: '', byRequester: true }

  it('a confirmation is for the requester alone, and does not count for a rule with a role', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId, token } = await approvals.request(scope, 'digest', byRequester)
    expect(await approvals.decide(scope.tenantId, approvalId, as('bob'))).toBe('not_requester')
    expect(await approvals.decide(scope.tenantId, approvalId, { ...as('alice'), roles: [] })).toBe('decided')
    expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({
      state: 'approved',
      by: 'requester',
    })
    expect(await approvals.check(scope, 'digest', { token, role: '' })).toMatchObject({ kind: 'approved' })
    expect(await approvals.check(scope, 'digest', { token, role: 'finance' })).toEqual({ kind: 'other_role' })
  })

  it('for an agent, the person behind it confirms, and not the agent', async () => {
    const approvals = createApprovals(store())
    const scope = { ...newScope(), requester: 'agent' }
    const { approvalId } = await approvals.request(scope, 'digest', { ...byRequester, requestedFor: 'alice' })
    expect(await approvals.decide(scope.tenantId, approvalId, as('agent'))).toBe('not_requester')
    expect(await approvals.decide(scope.tenantId, approvalId, as('alice'))).toBe('decided')
  })
}

function describeWithdrawal(store: StoreUnderTest): void {
  it('the requester withdraws an open approval, once; its token is no longer valid', async () => {
    const approvals = createApprovals(store())
    const scope = newScope()
    const { approvalId, token } = await approvals.request(scope, 'digest', wanted)
    const withdraw = (who: Viewer) => approvals.withdraw(scope.tenantId, approvalId, who)
    expect(await withdraw(viewer('bob', 'finance'))).toBe('not_requester')
    expect(await withdraw(viewer('eve'))).toBe('unknown')
    expect(await withdraw(viewer('alice'))).toBe('withdrawn')
    expect(await withdraw(viewer('alice'))).toBe('not_pending')
    expect(await approvals.decide(scope.tenantId, approvalId, as('bob'))).toBe('not_pending')
    expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({ state: 'withdrawn' })
    expect(await approvals.check(scope, 'digest', { token, role: 'finance', quorum: 2 })).toEqual({
      kind: 'invalid',
    })
    expect((await approvals.request(scope, 'digest', wanted)).isNew).toBe(true)
  })

  it('an approval in use is not withdrawn, and an expired one neither', async () => {
    const clock = createTestClock()
    const approvals = createApprovals(store(), clock)
    const scope = newScope()
    const { approvalId, token } = await approvals.request(scope, 'digest', { ...wanted, quorum: 1 })
    await approvals.decide(scope.tenantId, approvalId, as('bob'))
    const check = await approvals.check(scope, 'digest', { token, role: 'finance' })
    const reservation = check.kind === 'approved' ? await check.reserve() : undefined
    const withdraw = () => approvals.withdraw(scope.tenantId, approvalId, viewer('alice'))
    expect(await withdraw()).toBe('in_use')
    await reservation?.release()
    clock.forward(24 * 60 * 60)
    expect(await withdraw()).toBe('expired')
  })
}

function describeRaces(store: StoreUnderTest): void {
  it('an approval, a rejection and a withdrawal at once have one end, with the decisions that led to it', async () => {
    const approvals = createApprovals(store())
    for (let round = 0; round < 20; round += 1) {
      const scope = newScope()
      const { approvalId } = await approvals.request(scope, 'digest', { ...wanted, quorum: 1 })
      const [approved, rejected, withdrawn] = await Promise.all([
        approvals.decide(scope.tenantId, approvalId, as('bob')),
        approvals.decide(scope.tenantId, approvalId, as('erin', false)),
        approvals.withdraw(scope.tenantId, approvalId, viewer('alice')),
      ])
      const view = await approvals.view(scope.tenantId, approvalId)
      const decided = [approved, rejected].filter((result) => result === 'decided')
      expect(view?.decisions).toHaveLength(decided.length)
      // A withdrawal may follow an approval; nothing follows a withdrawal or a rejection.
      const ends = { approved: approved === 'decided', rejected: rejected === 'decided' }
      const state = withdrawn === 'withdrawn' ? 'withdrawn' : ends.approved ? 'approved' : 'rejected'
      expect([view?.state, ends.approved && ends.rejected]).toEqual([state, false])
    }
  })

  it('a use and a withdrawal at once: one of them happens', async () => {
    const approvals = createApprovals(store())
    for (let round = 0; round < 20; round += 1) {
      const scope = newScope()
      const { approvalId, token } = await approvals.request(scope, 'digest', { ...wanted, quorum: 1 })
      await approvals.decide(scope.tenantId, approvalId, as('bob'))
      const check = await approvals.check(scope, 'digest', { token, role: 'finance' })
      if (check.kind !== 'approved') throw new Error(`the approval is ${check.kind}`)
      const [reservation, withdrawn] = await Promise.all([
        check.reserve(),
        approvals.withdraw(scope.tenantId, approvalId, viewer('alice')),
      ])
      expect(withdrawn).toBe(reservation === undefined ? 'withdrawn' : 'in_use')
      if (reservation !== undefined) await store().transaction((sql) => reservation.redeem(sql))
      const state = reservation === undefined ? 'withdrawn' : 'used'
      expect(await approvals.view(scope.tenantId, approvalId)).toMatchObject({ state })
    }
  })
}

function describeList(store: StoreUnderTest): void {
  it('lists the own ones and those of the own roles, the newest first, page by page', async () => {
    const clock = createTestClock()
    const approvals = createApprovals(store(), clock)
    const scope = newScope()
    const ask = async (requester: string, role: string, requestedFor?: string) => {
      clock.forward(1)
      const given = { ...wanted, quorum: 1, role, requestedFor }
      return (await approvals.request({ ...scope, requester }, crypto.randomUUID(), given)).approvalId
    }
    const own = await ask('bob', 'board')
    const behind = await ask('agent', 'board', 'bob')
    const ofRole = [await ask('alice', 'finance'), await ask('carol', 'finance')]
    await ask('alice', 'board')
    await createApprovals(store(), clock).request(newScope(), 'digest', wanted)
    const expected = [own, behind, ...ofRole].toReversed()
    const bob = viewer('bob', 'finance')
    expect(await allPages(approvals, { tenantId: scope.tenantId, who: bob, limit: 1 })).toEqual(expected)
    expect(await allPages(approvals, { tenantId: scope.tenantId, who: bob, limit: 4 })).toEqual(expected)
    expect(await approvals.list(scope.tenantId, bob, { limit: 9, cursor: 'no cursor' })).toBeUndefined()
    await approvals.decide(scope.tenantId, ofRole[0] ?? '', as('bob'))
    const inState = async (state: 'pending' | 'approved' | 'expired') => {
      const page = await approvals.list(scope.tenantId, bob, { limit: 9, state })
      return page?.approvals.map(({ approvalId }) => approvalId)
    }
    expect(await inState('approved')).toEqual([ofRole[0]])
    expect(await inState('pending')).toEqual(expected.filter((id) => id !== ofRole[0]))
    clock.forward(24 * 60 * 60)
    expect([await inState('pending'), await inState('expired')]).toEqual([[], expected])
  })

  it('approvals of one moment are neither lost nor repeated between pages', async () => {
    const approvals = createApprovals(store(), createTestClock())
    const scope = newScope()
    const asked = await Promise.all(
      Array.from({ length: 7 }, (_, index) => approvals.request(scope, `digest ${index}`, wanted)),
    )
    const seen = await allPages(approvals, { tenantId: scope.tenantId, who: viewer('alice'), limit: 2 })
    expect(seen.toSorted()).toEqual(asked.map(({ approvalId }) => approvalId).toSorted())
  })

  it('a requester has as many open approvals as allowed, exactly, also of many at once', async () => {
    const clock = createTestClock()
    const approvals = createApprovals(store(), { ...clock, maxOpenPerRequester: 3 })
    const scope = newScope()
    const ask = (digest: string, requester = 'alice') =>
      approvals.request({ ...scope, requester }, digest, wanted).then(
        ({ isNew }) => (isNew ? 'new' : 'known'),
        (error: unknown) => String(error),
      )
    const results = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(`digest ${index}`)))
    const refused = 'TooManyApprovalsError: the requester has 3 open approvals'
    expect(results.toSorted()).toEqual([...Array(7).fill(refused), ...Array(3).fill('new')])
    expect(await ask(`digest ${results.indexOf('new')}`)).toBe('known')
    expect(await ask('digest', 'bob')).toBe('new')
    clock.forward(24 * 60 * 60)
    expect(await ask('later')).toBe('new')
  })
}

interface Reading {
  readonly tenantId: string
  readonly who: Viewer
  readonly limit: number
}

async function allPages(approvals: Approvals, { tenantId, who, limit }: Reading): Promise<readonly string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await approvals.list(tenantId, who, { limit, cursor })
    if (page === undefined) throw new Error('the cursor is invalid')
    expect(page.approvals.length).toBeLessThanOrEqual(limit)
    found.push(...page.approvals.map(({ approvalId }) => approvalId))
    cursor = page.next
  } while (cursor !== undefined)
  return found
}
