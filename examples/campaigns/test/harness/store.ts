import { createStore } from '@agentic-rest/service'
import { afterAll, beforeAll } from 'vitest'
import { prepareTables } from '../../src/tables.ts'

/** The database of a test file, with the campaigns of the demonstration: one for all, since making one takes seconds. */
export const store = createStore({ memory: true })

beforeAll(() => prepareTables(store), 120_000)
afterAll(() => store.close())
