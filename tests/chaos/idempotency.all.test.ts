import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { run } from '../../chaos/runs/idempotency.ts'
import { expectReached, missed, runShort } from './run-short.ts'

testWith(
  'postgres',
  'a key sent many times to services that are killed has one effect and one answer',
  async () => {
    expectReached(await runShort(run))
  },
)

testWith('postgres', 'the run notices requests without a key', async () => {
  const figures = await runShort(run, { keyed: 0, keys: 4, services: 1, killEvery: 60_000 })
  expect(missed(figures)).toEqual(
    expect.arrayContaining(['effects: 80, not exactly 4', 'keys with two answers: 76, not exactly 0']),
  )
})
