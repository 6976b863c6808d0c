import { AsyncResource } from 'node:async_hooks'
import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createOperationTable } from '../../src/runtime/operation-table.ts'
import { createSqlClock } from '../../src/runtime/sql-clock.ts'
import { createStore } from '../../src/runtime/sql-store.ts'
import type { Store } from '../../src/runtime/store.ts'
import { describeMigration } from './behaviour/migration-behaviour.ts'
import { describeRuntime } from './behaviour/runtime-behaviour.ts'

const job = {
  scope: { tenantId: '', operation: 'pay', requester: 'alice' },
  actor: '',
  roles: [],
  trace: { correlationId: 'c', requestId: 'r' },
  input: {},
  params: {},
  idempotencyKey: undefined,
  approvalId: undefined,
}

describePostgres('on PostgreSQL', (server) => {
  let store: Store
  beforeAll(async () => {
    store = createStore({ url: server().url })
    await store.migrate()
  })
  afterAll(() => store.close())
  describeRuntime(() => store)

  it('a lease passes over a tenant whose operation another transaction has locked', async () => {
    const table = createOperationTable({
      store,
      clock: createSqlClock({}),
      leaseSeconds: 30,
      maxOpenPerTenant: 1000,
      releasers: new Map(),
    })
    const insert = (tenantId: string) =>
      store.transaction((sql) => table.insert(sql, { ...job, scope: { ...job.scope, tenantId } }))
    const locked = await insert('a')
    await insert('b')
    const leaseAll = async () => (await table.lease(['pay'], 2)).map(({ tenantId }) => tenantId)
    const fromOutside = AsyncResource.bind(leaseAll)
    await store.transaction(async (sql) => {
      await sql.query('SELECT 1 FROM agentic_operations WHERE operation_id = $1 FOR UPDATE', [locked])
      expect(await fromOutside()).toEqual(['b'])
    })
    expect(await leaseAll()).toEqual(['a'])
  })
})

describePostgres('a store with approvals of an older version, on PostgreSQL', (server) =>
  describeMigration(() => ({ url: server().url })),
)
