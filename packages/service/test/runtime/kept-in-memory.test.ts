import { afterAll, beforeAll, describe } from 'vitest'
import { createStore } from '../../src/runtime/sql-store.ts'
import { describeKept } from './behaviour/runtime-behaviour.ts'

describe('kept in memory', () => {
  const store = createStore({ memory: true })
  beforeAll(() => store.migrate())
  afterAll(() => store.close())
  describeKept(() => store)
})
