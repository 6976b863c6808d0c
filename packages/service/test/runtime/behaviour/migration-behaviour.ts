import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApprovals } from '../../../src/runtime/approvals/approvals.ts'
import { sha256 } from '../../../src/runtime/key-text.ts'
import { migrations } from '../../../src/runtime/migrations.ts'
import { createStore } from '../../../src/runtime/sql-store.ts'
import type { Store, StoreOptions } from '../../../src/runtime/store.ts'

const columns = `tenant_id, approval_id, operation, requester, digest, role, message, approver, state, created_at,
  expires_at, decided_by, fence, reserved_until, held_by, requested_for, requester_issuer, decided_by_issuer`

/** The statement with which the version before decisions asks for an approval. */
async function olderRequest(store: Store, approvalId: string): Promise<void> {
  await store.query(
    `INSERT INTO agentic_approvals (tenant_id, approval_id, operation, requester, digest, role, message, approver,
       state, created_at, expires_at)
     VALUES ('acme', $1, 'pay', 'alice', $2, 'finance', 'Much.', 'Finance', 'pending', now(), now() + interval '1 day')`,
    [approvalId, `digest of ${approvalId}`],
  )
  await store.query(
    'INSERT INTO agentic_approval_tokens (tenant_id, token_hash, approval_id) VALUES ($1, $2, $3)',
    ['acme', sha256(`token of ${approvalId}`), approvalId],
  )
}

/** The statement with which it decides one. */
async function olderDecision(store: Store, approvalId: string, state: string): Promise<void> {
  await store.query(
    `UPDATE agentic_approvals SET state = $2, decided_by = 'bob', decided_by_issuer = NULL
     WHERE approval_id = $1 AND state = 'pending' AND expires_at > now()`,
    [approvalId, state],
  )
}

/** Approvals of the version before decisions, in a store that is brought up to date. */
export function describeMigration(options: () => StoreOptions): void {
  let store: Store
  let before: readonly object[]
  const rows = () => store.query(`SELECT ${columns} FROM agentic_approvals ORDER BY approval_id`)
  beforeAll(async () => {
    store = createStore(options())
    await store.query(
      'CREATE TABLE agentic_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz DEFAULT now())',
    )
    for (const { version, name, statements } of migrations.filter((each) => each.version <= 9)) {
      for (const statement of statements) await store.query(statement)
      await store.query('INSERT INTO agentic_migrations (version, name) VALUES ($1, $2)', [version, name])
    }
    for (const id of ['approved', 'pending', 'rejected', 'used']) await olderRequest(store, id)
    await olderDecision(store, 'approved', 'approved')
    await olderDecision(store, 'rejected', 'rejected')
    await olderDecision(store, 'used', 'approved')
    await store.query(`UPDATE agentic_approvals SET state = 'redeemed' WHERE approval_id = 'used'`)
    before = await rows()
    await store.migrate()
  })
  afterAll(() => store.close())

  it('no row is changed or lost', async () => {
    expect(before).toHaveLength(4)
    expect(await rows()).toEqual(before)
  })

  it('approvals of the older version are listed with their decisions', async () => {
    const page = await createApprovals(store).list(
      'acme',
      { subject: 'bob', roles: ['finance'] },
      { limit: 9 },
    )
    const seen = page?.approvals.map(({ approvalId, state, quorum, request, decisions }) => {
      return [approvalId, state, quorum, request, decisions]
    })
    const bob = (verdict: string) => [{ decidedBy: 'bob', verdict }]
    expect(seen?.toSorted()).toEqual([
      ['approved', 'approved', 1, null, bob('approved')],
      ['pending', 'pending', 1, null, []],
      ['rejected', 'rejected', 1, null, bob('rejected')],
      ['used', 'used', 1, null, bob('approved')],
    ])
  })

  it('an approval of the older version is decided and used; the older version still decides new ones', async () => {
    const approvals = createApprovals(store)
    const scope = { tenantId: 'acme', operation: 'pay', requester: 'alice' }
    const decide = (approvalId: string, by: string) =>
      approvals.decide('acme', approvalId, { approve: true, by, roles: ['finance'] })
    expect(await decide('approved', 'bob')).toBe('decided_already')
    expect(await decide('approved', 'erin')).toBe('not_pending')
    expect(await decide('pending', 'erin')).toBe('decided')
    const check = (id: string) =>
      approvals.check(scope, `digest of ${id}`, { token: `token of ${id}`, role: 'finance' })
    for (const id of ['approved', 'pending']) expect(await check(id)).toMatchObject({ kind: 'approved' })
    const wanted = { message: 'Much.', approver: { name: 'Finance' }, role: 'finance' }
    const { approvalId } = await approvals.request(scope, 'new', wanted)
    await olderDecision(store, approvalId, 'approved')
    expect(await approvals.view('acme', approvalId)).toMatchObject({
      state: 'approved',
      decisions: [{ decidedBy: 'bob' }],
    })
    await olderRequest(store, 'beside')
    expect(await decide('beside', 'erin')).toBe('decided')
  })
}
