import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/overload.ts'
import { expectReached, isLong, missed, runShort, runUndisturbed } from './run-short.ts'

test('at five times the capacity of a service the gateway serves the capacity and refuses the rest at once', async () => {
  const disturbed = [
    'asked for, in peaks',
    'goodput',
    'refused answers, 99th percentile',
    'normal again after',
  ]
  expectReached(await runUndisturbed(run, disturbed))
})

if (isLong)
  test('the run notices a gateway without refusals', async () => {
    const names = missed(await runShort(run, { limited: 0, seconds: 0.5 }))
    expect(names).toContainEqual(expect.stringContaining('refused at once'))
  })
