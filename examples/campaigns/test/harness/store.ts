import { createStore } from '@agentic-rest/service'
import { afterAll, beforeAll } from 'vitest'
import { prepareTables } from '../../src/tables.ts'

/** The database of a test file with the demonstration campaigns. It is shared, because creating one takes seconds. */
export const store = createStore({ memory: true })

beforeAll(() => prepareTables(store))
afterAll(() => store.close())
