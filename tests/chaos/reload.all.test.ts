import { test } from 'vitest'
import { run } from '../../chaos/runs/reload.ts'
import { expectReached, runShort } from './run-short.ts'

test('reloads under load fail no request, and bad files change nothing', async () => {
  expectReached(await runShort(run))
})
