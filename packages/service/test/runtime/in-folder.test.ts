import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { createStore } from '../../src/runtime/create-store.ts'
import { describeRuntime } from './behaviour/runtime-behaviour.ts'

describe('in a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-store-'))
  const store = createStore({ folder })
  beforeAll(() => store.migrate(), 60_000)
  afterAll(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  describeRuntime(() => store)
})
