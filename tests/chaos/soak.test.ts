import { expect, test, vi } from 'vitest'
import { run } from '../../chaos/runs/soak.ts'
import { expectReached, isLong, missed, runShort, runUndisturbed } from './run-short.ts'

// It starts processes, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 })

test('under mixed load nothing grows once the gateway is warm', async () => {
  expectReached(await runUndisturbed(run, ['served of them']))
})

if (isLong)
  test('the run notices connections that nobody closes', async () => {
    const names = missed(await runShort(run, { leak: 1 }))
    expect(names).toContainEqual(expect.stringContaining('file descriptors, growth'))
  })
