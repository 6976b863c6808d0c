import { test, vi } from 'vitest'
import { run } from '../../chaos/runs/cardinality.ts'
import { expectReached, runShort } from './run-short.ts'

// It starts processes, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 })

test('tenants and paths that somebody made up do not make the metrics grow', async () => {
  expectReached(await runShort(run))
})
