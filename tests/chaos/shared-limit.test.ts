import { expect } from 'vitest'
import { redisProgram as redis, run } from '../../chaos/runs/shared-limit.ts'
import { testWithProgram } from '../debian-package.ts'
import { expectReached, missed, runShort } from './run-short.ts'

testWithProgram(
  redis,
  'three gateways that are killed and replaced never have more streams open than one may',
  async () => {
    expectReached(await runShort(run))
  },
)

testWithProgram(redis, 'gateways that do not share their limit are found out', async () => {
  expect(missed(await runShort(run, { shared: 0, gateways: 2, tenants: 1, kills: 0, cycles: 60 }))).toEqual([
    expect.stringMatching(/^most open at once of a tenant: \d+, not exactly 5$/),
  ])
})

testWithProgram(redis, 'leases that are not given back are found out', async () => {
  const scale = { releases: 0, releaseMs: 1000, gateways: 1, tenants: 1, kills: 0, cycles: 5 }
  expect(missed(await runShort(run, scale))).toContain('leases left of streams that ended: 5, not exactly 0')
})
