import type { Outcome } from '@agentic-rest/profile'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Job } from '../../../src/runtime/contract.ts'
import { OpenLimitError } from '../../../src/runtime/open-limit.ts'
import { createOperationTable } from '../../../src/runtime/operation-table.ts'
import { createOperations } from '../../../src/runtime/operations.ts'
import { createSqlClock } from '../../../src/runtime/sql-clock.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { createTestClock } from './test-clock.ts'

const done: Outcome = { type: 'success', body: {} }

function jobOf(tenantId: string, operation: string): Job {
  return {
    scope: { tenantId, operation, requester: 'alice' },
    actor: '',
    roles: [],
    trace: { correlationId: 'c', requestId: 'r' },
    input: {},
    params: {},
    idempotencyKey: undefined,
    approvalId: undefined,
  }
}

/** Tenants share the workers, and each has a limited number of open operations. */
export function describeFairness(store: StoreUnderTest): void {
  describe('tenants side by side', () => {
    describeFairLeases(store)
    describeOpenLimit(store)
  })
}

/** The table of one process, with an operation of its own. */
function openTable(store: StoreUnderTest, maxOpenPerTenant = 1000) {
  const clock = createTestClock()
  const operation = crypto.randomUUID()
  const context = { clock: createSqlClock(clock), leaseSeconds: 30, maxOpenPerTenant, releasers: new Map() }
  const table = createOperationTable({ ...context, store: store() })
  const insert = (tenantId: string) =>
    store().transaction((sql) => table.insert(sql, jobOf(tenantId, operation)))
  const insertMany = async (tenantId: string, count: number) => {
    for (let number = 0; number < count; number += 1) await insert(tenantId)
  }
  const lease = (limit: number) => table.lease([operation], limit)
  const leaseTenants = async (limit: number) => (await lease(limit)).map(({ tenantId }) => tenantId)
  return { table, clock, operation, insert, insertMany, lease, leaseTenants }
}

function describeFairLeases(store: StoreUnderTest): void {
  it('the one operation of a tenant starts next, before the other 99 of another', async () => {
    const operation = crypto.randomUUID()
    const operations = createOperations(store(), { workers: 1, pollMilliseconds: 10, closeSeconds: 0.05 })
    onTestFinished(() => operations.close())
    const accept = (tenantId: string) =>
      store().transaction((sql) => operations.accept(sql, jobOf(tenantId, operation)))
    const started: string[] = []
    const ends: (() => void)[] = []
    for (let number = 0; number < 100; number += 1) await accept('noisy')
    const slow = ({ scope }: Job) =>
      new Promise<Outcome>((resolve) => {
        started.push(scope.tenantId)
        ends.push(() => resolve(done))
      })
    operations.start(new Map([[operation, slow]]))
    await expect.poll(() => started).toEqual(['noisy'])
    await accept('quiet')
    ends[0]?.()
    await expect.poll(() => started).toEqual(['noisy', 'quiet'])
    ends[1]?.()
    await expect.poll(() => started).toEqual(['noisy', 'quiet', 'noisy'])
  })

  it('a lease goes to the tenant with the fewest running operations, then to the next in turn', async () => {
    const { table, lease, leaseTenants, insertMany } = openTable(store)
    for (const tenant of ['', 'b', 'B', 'é']) await insertMany(tenant, 3)
    const first = await lease(2)
    expect(first.map(({ tenantId }) => tenantId)).toEqual(['', 'B'])
    expect(await leaseTenants(1)).toEqual(['b'])
    expect(await leaseTenants(2)).toEqual(['é', ''])
    // The tenant B has nothing running any more.
    for (const held of first.slice(1)) await table.settle(held, done)
    expect(await leaseTenants(2)).toEqual(['B', 'b'])
    expect(await leaseTenants(9)).toEqual(['é', 'B', 'b', 'é', ''])
    expect(await leaseTenants(9)).toEqual([])
  })

  it('an operation that waits for its retry or lost its process does not count as running', async () => {
    const { table, clock, lease, leaseTenants, insertMany } = openTable(store)
    await insertMany('a', 3)
    await insertMany('b', 3)
    for (const held of await lease(2)) await table.retryIn(held, 10)
    expect(await leaseTenants(1)).toEqual(['a'])
    expect(await leaseTenants(1)).toEqual(['b'])
    clock.forward(31)
    expect(await leaseTenants(9)).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  })

  it('within a tenant, operations start in the order of their arrival', async () => {
    const { clock, insert, lease } = openTable(store)
    const ids: string[] = []
    for (let number = 0; number < 5; number += 1) {
      ids.push(await insert('a'))
      clock.forward(1)
    }
    expect((await lease(9)).map(({ operationId }) => operationId)).toEqual(ids)
  })

  it('processes that lease at once give each tenant the same share', async () => {
    const { lease, insertMany } = openTable(store)
    const tenants = ['a', 'b', 'c', 'd', 'e']
    for (const tenant of tenants) await insertMany(tenant, tenant === 'a' ? 40 : 8)
    const leased = (await Promise.all(Array.from({ length: 10 }, () => lease(4)))).flat()
    for (const tenant of tenants) expect(leased.filter(({ tenantId }) => tenantId === tenant)).toHaveLength(8)
    expect(new Set(leased.map(({ operationId }) => operationId)).size).toBe(40)
  })

  it('a lease among 10,000 open operations reads few pages, with and without statistics', async () => {
    for (const tenants of [1, 100, 10_000]) {
      const { operation, lease } = openTable(store)
      // Operations of other tests are on the same pages of the index.
      await store().query('DELETE FROM agentic_operations')
      await store().query('VACUUM agentic_operations')
      await fill(store, { operation, tenants, count: 10_000 })
      await lease(4)
      expect(await pagesRead(store, operation)).toBeLessThan(300)
      await store().query('ANALYZE agentic_operations')
      expect(await pagesRead(store, operation)).toBeLessThan(300)
    }
  }, 120_000)
}

interface Filling {
  readonly operation: string
  readonly tenants: number
  readonly count: number
}

async function fill(store: StoreUnderTest, { operation, tenants, count }: Filling): Promise<void> {
  await store().query(
    `INSERT INTO agentic_operations (tenant_id, operation_id, operation, state, job, available_at, created_at, updated_at)
     SELECT 'tenant-' || number % $2, gen_random_uuid()::text, $1, 'working', $4,
       timestamptz '2020-01-01' + number * interval '1 ms', now(), now()
     FROM generate_series(1, $3::integer) AS number`,
    [operation, tenants, count, JSON.stringify({ filler: 'x'.repeat(500) })],
  )
}

/** The pages that a lease reads, in the function and its statements. The first lease of a connection also reads the catalogue. */
async function pagesRead(store: StoreUnderTest, operation: string): Promise<number> {
  return store().transaction(async (sql) => {
    const explain = () =>
      sql.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) SELECT * FROM agentic_lease(ARRAY['${operation}'], 4, 30, NULL)`,
      )
    await explain()
    const plan = (await explain()).map((row) => row['QUERY PLAN']).join('\n')
    const pages = /shared hit=(\d+)/.exec(plan)?.[1]
    return Number(pages)
  })
}

function describeOpenLimit(store: StoreUnderTest): void {
  it('has room for exactly as many open operations of a tenant as allowed, of 50 at once', async () => {
    const { table, operation, insert } = openTable(store, 10)
    const accept = (tenantId: string) =>
      store().transaction(async (sql) => {
        await table.insert(sql, jobOf(tenantId, operation))
        await table.assertWithinLimit(sql, tenantId)
      })
    const tenant = crypto.randomUUID()
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => accept(tenant)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toEqual(new OpenLimitError(10))
    await expect(insert(tenant)).rejects.toThrow(OpenLimitError)
    await accept(crypto.randomUUID())
  })

  it('has room again when an operation has ended, was cancelled or waits for input', async () => {
    const { table, clock, lease, insert } = openTable(store, 3)
    const tenant = crypto.randomUUID()
    await insert(tenant)
    await insert(tenant)
    clock.forward(1)
    const last = await insert(tenant)
    const full = () => expect(insert(tenant)).rejects.toThrow(OpenLimitError)
    await full()
    const [first, second] = await lease(2)
    // A running operation is open.
    await full()
    if (first !== undefined) await table.settle(first, done)
    await insert(tenant)
    await full()
    if (second !== undefined)
      await table.settle(second, { type: 'approval_required', message: 'm', approvalToken: 't' })
    await insert(tenant)
    await full()
    expect(await table.cancel({ tenantId: tenant, operationId: last })).toBe('cancelled')
    await insert(tenant)
    await full()
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2_000_000])(
    'refuses %d as limit',
    (maxOpenPerTenant) => {
      expect(() => createOperations(store(), { maxOpenPerTenant })).toThrow(
        `runtime.operations.maxOpenPerTenant must be an integer from 1 to 1000000, not ${maxOpenPerTenant}`,
      )
    },
  )
}
