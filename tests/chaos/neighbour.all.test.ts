import { test } from 'vitest'
import { run } from '../../chaos/runs/neighbour.ts'
import { expectReached, runShort } from './run-short.ts'

test('a tenant that asks for ten times its share is refused by its limits, and no request of another is', async () => {
  expectReached(await runShort(run))
})
