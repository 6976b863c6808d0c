import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { run } from '../../chaos/runs/proxy-drain.ts'
import { expectReached, missed, runShort } from './run-short.ts'

testWith('nginx', 'gateways with late event loops drain behind nginx and lose no request', async () => {
  expectReached(await runShort(run))
})

testWith('nginx', 'the run notices gateways that are killed', async () => {
  const names = missed(await runShort(run, { kill: 1 })).map((text) => text.split(':')[0])
  expect(names).toEqual(expect.arrayContaining(['requests that were lost', 'exit codes other than 0']))
})
