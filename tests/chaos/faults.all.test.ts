import { test } from 'vitest'
import { run } from '../../chaos/runs/faults.ts'
import { expectReached, runShort } from './run-short.ts'

test('with faults of every kind each request has one outcome or an explicit abort, in time', async () => {
  expectReached(await runShort(run))
})
