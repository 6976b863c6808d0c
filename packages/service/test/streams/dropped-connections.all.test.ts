import { eventually } from '@agentic-rest/testing/eventually'
import { expect, it } from 'vitest'
import { AT_ONCE, dropAll, head, resources, STREAMS, startTalk } from './dropped-streams.ts'

it(`${STREAMS} connections that are dropped leave no run, timer or descriptor behind`, async () => {
  const { url, settled, opened } = await startTalk()
  const drop = async () => {
    const leave = new AbortController()
    const { body } = await fetch(`${url}/waiting`, { method: 'POST', headers: head, signal: leave.signal })
    await body?.getReader().read()
    leave.abort()
  }
  await dropAll(drop, AT_ONCE)
  await settled()
  const before = resources()
  await dropAll(drop, STREAMS - AT_ONCE)
  await settled()
  expect(opened()).toBe(STREAMS)
  // Vitest and fetch have a few of their own.
  await eventually(resources, ({ descriptors, timers }) => {
    return descriptors <= before.descriptors + 5 && timers <= before.timers + 5
  })
})
