import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/faults.ts'
import { expectReached, isLong, missed, runShort } from './run-short.ts'

test('with faults of every kind each request has one outcome or an explicit abort, in time', async () => {
  expectReached(await runShort(run))
})

if (isLong)
  test('the run notices a gateway without deadlines', async () => {
    const names = missed(await runShort(run, { requests: 200, deadlineSeconds: 0, graceMs: 0 }))
    expect(names).toContainEqual(expect.stringContaining('requests without an end'))
  })
