import { createStore, type Store } from '@agentic-rest/service'
import { afterAll, beforeAll, beforeEach } from 'vitest'

/**
 * One embedded database for the tests of a file, emptied before each: opening one takes seconds on a busy machine.
 * `tables` are created in addition to those of the runtime.
 */
export function sharedStore(...tables: readonly string[]): Store {
  const store = createStore({ memory: true })
  beforeAll(async () => {
    await store.migrate()
    for (const table of tables) await store.query(`CREATE TABLE ${table}`)
  })
  beforeEach(async () => {
    const rows = await store.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '%migration%'`,
    )
    await store.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')} RESTART IDENTITY`)
  })
  afterAll(() => store.close())
  return store
}
