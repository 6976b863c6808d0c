import { afterAll, beforeAll } from 'vitest'
import { createStore } from '../../src/runtime/sql-store.ts'
import type { Store } from '../../src/runtime/store.ts'
import { describeRuntime } from './behaviour/runtime-behaviour.ts'
import { describePostgres } from './harness/describe-postgres.ts'

describePostgres('on PostgreSQL', (server) => {
  let store: Store
  beforeAll(async () => {
    store = createStore({ url: server().url })
    await store.migrate()
  })
  afterAll(() => store.close())
  describeRuntime(() => store)
})
