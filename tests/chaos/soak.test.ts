import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/soak.ts'
import { expectReached, isLong, missed, runShort, runUndisturbed } from './run-short.ts'

test('under mixed load nothing grows after warm-up', async () => {
  expectReached(await runUndisturbed(run, ['served of them']))
})

if (isLong)
  test('the run notices leaked connections', async () => {
    const names = missed(await runShort(run, { leak: 1 }))
    expect(names).toContainEqual(expect.stringContaining('file descriptors, growth'))
  })
