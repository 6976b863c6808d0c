import { test } from 'vitest'
import { run } from '../../chaos/runs/cardinality.ts'
import { expectReached, runShort } from './run-short.ts'

test('made-up tenants and paths do not make the metrics grow', async () => {
  expectReached(await runShort(run))
})
