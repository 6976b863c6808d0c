import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/reload.ts'
import { expectReached, isLong, missed, runShort } from './run-short.ts'

test('reloads under load fail no request, and bad files change nothing', async () => {
  expectReached(await runShort(run))
})

if (isLong)
  test('the run notices a configuration that leads nowhere', async () => {
    const names = missed(await runShort(run, { reloads: 2, badFiles: 1, dead: 1 }))
    expect(names).toContain('the last good file serves: 0, not exactly 1')
  })
