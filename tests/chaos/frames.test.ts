import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/frames.ts'
import { expectReached, missed, runShort } from './run-short.ts'

test('malformed frames of HTTP/2 end no gateway and leave nothing open', async () => {
  expectReached(await runShort(run))
})

test('the run notices a gateway that ends', async () => {
  const figures = await runShort(run, { connections: 5, kill: 3 })
  expect(missed(figures)).toContainEqual('crashes: 1, not exactly 0')
})
