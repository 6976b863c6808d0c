import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApprovals } from '../../src/runtime/approvals/approvals.ts'
import type { Scope } from '../../src/runtime/contract.ts'
import { createIdempotency } from '../../src/runtime/idempotency.ts'
import { sha256 } from '../../src/runtime/key-text.ts'
import { migrations } from '../../src/runtime/migrations.ts'
import { OpenLimitError } from '../../src/runtime/open-limit.ts'
import { createOperationTable } from '../../src/runtime/operation-table.ts'
import { createSqlClock } from '../../src/runtime/sql-clock.ts'
import { createStore } from '../../src/runtime/sql-store.ts'

const store = createStore({ memory: true })
const alice: Scope = { tenantId: 'acme', operation: 'pay', requester: 'alice' }
const ofOne = { ...alice, issuer: 'https://one.example' }
const wanted = { message: 'Much.', approver: { name: 'Finance' }, role: 'finance' }
const stored = { outcome: { type: 'success', body: { n: 1 } }, headers: {} }

/** A store as the version before issuers left it, with a key, an open approval, two operations and the statements of that version. */
beforeAll(async () => {
  await store.query(
    'CREATE TABLE agentic_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz DEFAULT now())',
  )
  for (const { version, name, statements } of migrations.filter((each) => each.version <= 6)) {
    for (const statement of statements) await store.query(statement)
    await store.query('INSERT INTO agentic_migrations (version, name) VALUES ($1, $2)', [version, name])
  }
  await store.query(
    `INSERT INTO agentic_idempotency (tenant_id, operation, key_hash, fence, lease_until, requester, fingerprint,
       stored, expires_at) VALUES ('acme', 'pay', $1, 1, now(), 'alice', 'print', $2, now() + interval '1 day')`,
    [sha256('k-1'), JSON.stringify(stored)],
  )
  await olderRequest('old', 'digest')
  await olderOperation('waiting', 0)
  await olderOperation('running', 3600)
  await store.migrate()
})
afterAll(() => store.close())

/** The statement with which a version before issuers asks for an approval. */
async function olderRequest(approvalId: string, digest: string): Promise<void> {
  await store.query(
    `INSERT INTO agentic_approvals AS known (tenant_id, approval_id, operation, requester, digest, role, message,
       approver, requested_for, state, created_at, expires_at)
     VALUES ('acme', $1, 'pay', 'alice', $2, 'finance', 'Much.', 'Finance', NULL, 'pending', now(),
       now() + interval '1 day')
     ON CONFLICT (tenant_id, operation, requester, digest, role) WHERE state IN ('pending', 'approved')
     DO UPDATE SET role = known.role`,
    [approvalId, digest],
  )
  await store.query(
    'INSERT INTO agentic_approval_tokens (tenant_id, token_hash, approval_id) VALUES ($1, $2, $3)',
    ['acme', sha256(`token of ${approvalId}`), approvalId],
  )
}

/** The statement with which a version before fair leases accepts an operation, available after a time. */
async function olderOperation(operationId: string, seconds: number): Promise<void> {
  const job = { scope: alice, actor: '', roles: [], trace: {}, input: {}, params: {} }
  await store.query(
    `INSERT INTO agentic_operations (tenant_id, operation_id, operation, state, job, available_at, created_at, updated_at)
     VALUES ('acme', $1, 'pay', 'working', $2, now() + $3 * interval '1 second', now(), now())`,
    [operationId, JSON.stringify(job), seconds],
  )
}

it('an operation of an older version is leased, and one that its process runs is not', async () => {
  const table = createOperationTable({
    store,
    clock: createSqlClock({}),
    leaseSeconds: 30,
    maxOpenPerTenant: 3,
    releasers: new Map(),
  })
  await olderOperation('beside', 0)
  const leased = await table.lease(['pay'], 9)
  expect(leased.map(({ operationId }) => operationId)).toEqual(['waiting', 'beside'])
  expect(leased[0]?.job.scope).toEqual(alice)
  // All three are open.
  const [{ job } = { job: undefined }] = leased
  if (job === undefined) throw new Error('nothing was leased')
  const insert = () => store.transaction((sql) => table.insert(sql, job))
  await expect(insert()).rejects.toThrow(OpenLimitError)
})

it('a key of an older version replays for its subject, of any issuer, and for nobody else', async () => {
  const idempotency = createIdempotency(store)
  for (const scope of [alice, ofOne, { ...alice, issuer: 'https://two.example' }])
    expect(await idempotency.claim(scope, 'k-1', 'print')).toEqual({ kind: 'replay', stored })
  expect(await idempotency.claim({ ...ofOne, requester: 'bob' }, 'k-1', 'print')).toEqual({
    kind: 'mismatch',
  })
})

it('an approval of an older version is decided by another subject and used by its own', async () => {
  const approvals = createApprovals(store)
  const presented = { token: 'token of old', role: 'finance' }
  expect(await approvals.check(ofOne, 'digest', presented)).toEqual({ kind: 'pending', approvalId: 'old' })
  const byAlice = { approve: true, by: 'alice', issuer: 'https://two.example', roles: ['finance'] }
  expect(await approvals.decide('acme', 'old', byAlice)).toBe('own_request')
  expect(await approvals.decide('acme', 'old', { ...byAlice, by: 'bob' })).toBe('decided')
  expect(await approvals.check({ ...ofOne, requester: 'bob' }, 'digest', presented)).toEqual({
    kind: 'invalid',
  })
  expect(await approvals.check(ofOne, 'other', presented)).toEqual({ kind: 'invalid' })
  expect(await approvals.check(ofOne, 'digest', presented)).toMatchObject({
    kind: 'approved',
    decidedBy: 'bob',
  })
})

it('an older version side by side still asks for approvals, beside those of both issuers', async () => {
  const approvals = createApprovals(store)
  const { approvalId: first } = await approvals.request(ofOne, 'shared', wanted)
  const { approvalId: second } = await approvals.request(
    { ...ofOne, issuer: 'https://two.example' },
    'shared',
    wanted,
  )
  await olderRequest('beside', 'shared')
  const rows = await store.query<{ approval_id: string }>(
    `SELECT approval_id FROM agentic_approvals WHERE message = 'Much.' AND state = 'pending'`,
  )
  expect(rows.map(({ approval_id }) => approval_id).toSorted()).toEqual([first, second, 'beside'].toSorted())
})

it('the table itself refuses a requester who decides', async () => {
  const decide = (by: string, issuer: string | null) =>
    store.query(
      `UPDATE agentic_approvals SET state = 'approved', decided_by = $1, decided_by_issuer = $2
       WHERE requester_issuer = 'https://one.example'`,
      [by, issuer],
    )
  const approvals = createApprovals(store)
  await approvals.request(ofOne, 'table', wanted)
  for (const issuer of ['https://one.example', null])
    await expect(decide('alice', issuer)).rejects.toMatchObject({ code: '23514' })
  await decide('alice', 'https://two.example')
})
