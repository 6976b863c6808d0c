import { expect } from 'vitest'
import { run } from '../../chaos/runs/operations.ts'
import { testWithProgram } from '../debian-package.ts'
import { expectReached, missed, runShort } from './run-short.ts'

const postgres = { program: 'postgres', package: 'postgresql', folders: ['/usr/lib/postgresql/*/bin'] }

testWithProgram(
  postgres,
  'operations are neither lost nor doubled by killed and paused workers and a restarted PostgreSQL',
  async () => {
    expectReached(await runShort(run))
  },
)

testWithProgram(postgres, 'the run notices workers with effects outside of the transaction', async () => {
  const figures = await runShort(run, { careless: 1, restarts: 0, pauses: 0, operations: 120 })
  expect(missed(figures)).toEqual([expect.stringMatching(/^doubled: \d+, not exactly 0$/)])
})
