import { test } from 'vitest'
import { run } from '../../chaos/runs/cardinality.ts'
import { expectReached, runShort } from './run-short.ts'

test('tenants and paths that somebody made up do not make the metrics grow', async () => {
  expectReached(await runShort(run))
})
