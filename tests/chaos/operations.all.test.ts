import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { run } from '../../chaos/runs/operations.ts'
import { expectReached, missed, runShort } from './run-short.ts'

testWith(
  'postgres',
  'operations are neither lost nor doubled by killed and paused workers and a restarted PostgreSQL',
  async () => {
    expectReached(await runShort(run))
  },
)

testWith('postgres', 'the run notices workers with effects outside of the transaction', async () => {
  const figures = await runShort(run, { careless: 1, restarts: 0, pauses: 0, operations: 120 })
  expect(missed(figures)).toEqual([expect.stringMatching(/^doubled: \d+, not exactly 0$/)])
})
