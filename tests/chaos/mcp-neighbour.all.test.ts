import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/mcp-neighbour.ts'
import { expectReached, missed, runShort } from './run-short.ts'

test('messages of 8.5 MB take little memory and no request of another tenant', async () => {
  expectReached(await runShort(run))
})

test('the run notices a gateway that reads such messages', async () => {
  const lost = missed(await runShort(run, { bounded: 0 }))
  expect(lost).toContainEqual(expect.stringContaining('memory, growth'))
  expect(lost).toContainEqual('messages refused for their size in each round: 0, not at least 1')
})
