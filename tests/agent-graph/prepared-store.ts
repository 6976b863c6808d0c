import { createStore, type Store } from '@agentic-rest/service'
import { afterAll, beforeAll } from 'vitest'

/** An embedded database for the tests of a file, with the tables and initial data of some agents. */
export function preparedStore(...prepare: readonly ((store: Store) => Promise<void>)[]): Store {
  const store = createStore({ memory: true })
  // Twice, like a restarted service that finds its tables.
  beforeAll(async () => {
    for (const prepareTables of [...prepare, ...prepare]) await prepareTables(store)
  })
  afterAll(() => store.close())
  return store
}
