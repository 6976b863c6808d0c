import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { run } from '../../chaos/runs/gateway-idempotency.ts'
import { expectReached, missed, runShort } from './run-short.ts'

testWith(
  'redis-server',
  'a key sent many times through gateways that are killed has one call, or is told as unknown',
  async () => {
    expectReached(await runShort(run))
  },
)

testWith('redis-server', 'the run notices a Redis that forgets its keys', async () => {
  const scale = { persistent: 0, gateways: 1, kills: 0, keys: 40, copies: 4 }
  expect(missed(await runShort(run, scale))).toContainEqual(
    expect.stringMatching(/^keys with two calls: \d+, not exactly 0$/),
  )
})
