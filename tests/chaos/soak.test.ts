import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/soak.ts'
import { expectReached, isLong, missed, runShort, runUndisturbed } from './run-short.ts'

test('under mixed load nothing grows once the gateway is warm', async () => {
  expectReached(await runUndisturbed(run, ['served of them']))
})

if (isLong)
  test('the run notices connections that nobody closes', async () => {
    const names = missed(await runShort(run, { leak: 1 }))
    expect(names).toContainEqual(expect.stringContaining('file descriptors, growth'))
  })
