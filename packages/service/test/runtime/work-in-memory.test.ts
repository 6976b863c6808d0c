import { afterAll, beforeAll, describe } from 'vitest'
import { createStore } from '../../src/runtime/sql-store.ts'
import { describeWork } from './behaviour/runtime-behaviour.ts'

describe('work in memory', () => {
  const store = createStore({ memory: true })
  beforeAll(() => store.migrate())
  afterAll(() => store.close())
  describeWork(() => store)
})
