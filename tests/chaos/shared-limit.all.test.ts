import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { run } from '../../chaos/runs/shared-limit.ts'
import { expectReached, missed, runShort } from './run-short.ts'

testWith(
  'redis-server',
  'three gateways that are killed and replaced together keep the limit of one',
  async () => {
    expectReached(await runShort(run))
  },
)

testWith('redis-server', 'the run notices gateways that do not share their limit', async () => {
  expect(missed(await runShort(run, { shared: 0, gateways: 2, tenants: 1, kills: 0, cycles: 60 }))).toEqual([
    expect.stringMatching(/^most open at once of a tenant: \d+, not exactly 5$/),
  ])
})

testWith('redis-server', 'the run notices leases that are not released', async () => {
  const scale = { releases: 0, releaseMs: 1000, gateways: 1, tenants: 1, kills: 0, cycles: 5 }
  expect(missed(await runShort(run, scale))).toContain('leases left of streams that ended: 5, not exactly 0')
})
