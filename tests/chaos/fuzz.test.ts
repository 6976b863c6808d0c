import { test } from 'vitest'
import { run } from '../../chaos/runs/fuzz.ts'
import { expectReached, runShort } from './run-short.ts'

test('bytes that are nearly requests leave the gateway as it was', async () => {
  expectReached(await runShort(run))
})
