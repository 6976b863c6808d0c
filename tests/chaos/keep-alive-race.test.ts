import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/keep-alive-race.ts'
import { expectReached, missed, runShort } from './run-short.ts'

test("at the idle edge of a service's connections no request fails and none is executed twice", async () => {
  expectReached(await runShort(run))
})

test('the run notices requests that may not be sent again', async () => {
  const names = missed(await runShort(run, { keyed: 0 }))
  expect(names).toContainEqual(expect.stringContaining('visible failures'))
})
