/**
 * A service to be killed: one keyed request with an approval and background work. A process first completes the work
 * of its predecessor.
 */
import { eventually } from '@agentic-rest/testing/eventually'
import { createApprovals } from '../../../src/runtime/approvals/approvals.ts'
import type { Job, JobContext, Scope } from '../../../src/runtime/contract.ts'
import { createIdempotency } from '../../../src/runtime/idempotency.ts'
import { createOperations } from '../../../src/runtime/operations.ts'
import { createStore } from '../../../src/runtime/sql-store.ts'
import type { Store } from '../../../src/runtime/store.ts'
import { addEffect } from '../behaviour/effects.ts'
import { createCrashingStore } from './crashing-store.ts'
import { readSettings, tell } from './settings.ts'

const { store: storeOptions, tenantId, keys, crash, secondsAhead } = readSettings()
const now = () => new Date(Date.now() + secondsAhead * 1000)
const scope: Scope = { tenantId, operation: 'pay', requester: 'alice' }
const wanted = { message: 'm', approver: { name: 'Finance' }, role: 'approver' }

function jobOf(key: string): Job {
  const trace = { correlationId: key, requestId: key }
  return {
    scope,
    actor: '',
    roles: [],
    trace,
    input: { key },
    params: {},
    idempotencyKey: key,
    approvalId: undefined,
  }
}

async function runJob(job: Job, context: JobContext) {
  const { key } = job.input as { key: string }
  return context.finish(async (sql) => {
    await addEffect(sql, tenantId, `ran ${key}`)
    return { type: 'success', body: { key } }
  })
}

/** Runs all steps of one request, with retries. */
async function request(store: Store, key: string): Promise<string> {
  const claim = await createIdempotency(store, { now }).claim(scope, key, key)
  if (claim.kind === 'replay' && claim.stored.outcome.type === 'accepted')
    return claim.stored.outcome.operationId
  if (claim.kind !== 'claimed') throw new Error(`${key} is ${claim.kind}`)
  const approvals = createApprovals(store, { now })
  const { approvalId, token } = await approvals.request(scope, key, wanted)
  tell(`token ${key} ${token}`)
  await approvals.decide(tenantId, approvalId, { approve: true, by: 'bob', roles: ['approver'] })
  const approval = await approvals.check(scope, key, { token, role: 'approver' })
  if (approval.kind !== 'approved') throw new Error(`${key} is not approved but ${approval.kind}`)
  const reservation = await approval.reserve()
  if (reservation === undefined) throw new Error(`the approval of ${key} is in use`)
  return store.transaction(async (sql) => {
    await addEffect(sql, tenantId, `accepted ${key}`)
    const { operationId } = await createOperations(store, { now }).accept(sql, { ...jobOf(key), approvalId })
    await reservation.hand(sql, operationId)
    const outcome = { type: 'accepted', operationId, statusUrl: `/operations/${operationId}/status` } as const
    await claim.complete(sql, { outcome, headers: {} })
    return operationId
  })
}

async function serve(store: Store, plain: Store, key: string): Promise<void> {
  const operationId = await request(store, key)
  const operations = createOperations(store, { now, pollMilliseconds: 5 })
  operations.start(new Map([['pay', runJob]]))
  const reader = createOperations(plain, { now })
  await eventually(
    () => reader.status(tenantId, operationId),
    (state) => state?.status === 'completed',
  )
  await operations.close()
}

const plain = createStore(storeOptions)
await plain.migrate()
tell('open')
for (const [index, key] of keys.entries()) {
  const isLast = index === keys.length - 1
  await serve(isLast ? createCrashingStore(plain, crash) : plain, plain, key)
}
await plain.close()
tell('done')
