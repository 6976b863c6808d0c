import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/neighbour.ts'
import { expectReached, isLong, missed, runShort } from './run-short.ts'

test('a tenant that asks for ten times its share is refused by its limits, and no request of another is', async () => {
  expectReached(await runShort(run))
})

if (isLong)
  test('the run notices a gateway without shares', async () => {
    const names = missed(await runShort(run, { limited: 0 }))
    expect(names).toContainEqual(expect.stringContaining('quiet requests not served'))
  })
