import { expect, test } from 'vitest'
import { run } from '../../chaos/runs/sigterm.ts'
import { expectReached, missed, runShort } from './run-short.ts'

test('after SIGTERM under load a gateway finishes its accepted requests', async () => {
  expectReached(await runShort(run))
})

test('the run notices gateways that do not wait for accepted requests', async () => {
  const names = missed(await runShort(run, { drain: 0 })).map((text) => text.split(':')[0])
  expect(names).toEqual(['requests that failed'])
})

test('the run notices gateways that are killed', async () => {
  const names = missed(await runShort(run, { kill: 1 })).map((text) => text.split(':')[0])
  expect(names).toEqual(['requests that failed', 'streams without a last frame', 'exit codes other than 0'])
})
