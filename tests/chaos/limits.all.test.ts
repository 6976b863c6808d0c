import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { run } from '../../chaos/runs/limits.ts'
import { expectReached, missed, runShort } from './run-short.ts'

testWith(
  'redis-server',
  'three gateways pass exactly their limit while gateways are killed and Redis is emptied',
  async () => {
    expectReached(await runShort(run))
  },
)

testWith('redis-server', 'the run notices gateways that do not share their limit', async () => {
  expect(missed(await runShort(run, { shared: 0, seconds: 1 }))).toContainEqual(
    expect.stringMatching(/^passed with 0 gateways killed: \d+, not exactly /),
  )
})
