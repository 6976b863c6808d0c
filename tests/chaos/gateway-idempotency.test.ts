import { expect } from 'vitest'
import { run } from '../../chaos/runs/gateway-idempotency.ts'
import { redisProgram as redis } from '../../chaos/runs/shared-limit.ts'
import { testWithProgram } from '../debian-package.ts'
import { expectReached, missed, runShort } from './run-short.ts'

testWithProgram(
  redis,
  'a key sent many times through gateways that are killed has one call, or is told as unknown',
  async () => {
    expectReached(await runShort(run))
  },
)

testWithProgram(redis, 'the run notices a Redis that forgets its keys', async () => {
  const scale = { persistent: 0, gateways: 1, kills: 0, keys: 40, copies: 4 }
  expect(missed(await runShort(run, scale))).toContainEqual(
    expect.stringMatching(/^keys with two calls: \d+, not exactly 0$/),
  )
})
