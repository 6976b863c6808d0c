import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/keep-alive-race.ts'
import { expectReached, missed, runShort } from './run-short.ts'

test("at the idle edge of a service's connections no request fails and none is executed twice", async () => {
  expectReached(await runShort(run))
})

test('the run notices requests that may not be sent again', async () => {
  // Whether a connection ends under a request is up to the machine, so the run is repeated until one does.
  let names = missed(await runShort(run, { keyed: 0 }))
  for (let left = 4; left > 0 && names.length === 0; left -= 1)
    names = missed(await runShort(run, { keyed: 0 }))
  expect(names).toContainEqual(expect.stringContaining('visible failures'))
})
