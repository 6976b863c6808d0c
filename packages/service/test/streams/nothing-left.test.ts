import { eventually } from '@agentic-rest/testing/eventually'
import { expect, it } from 'vitest'
import { dropAll, head, resources, STREAMS, startTalk } from './dropped-streams.ts'

it(`${STREAMS} streams of fetch alone that are dropped leave no run and no timer behind`, async () => {
  const { service, settled, opened } = await startTalk()
  const drop = async () => {
    const request = new Request('http://service.example/reading', { method: 'POST', headers: head })
    const reader = (await service.fetch(request)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
  }
  const before = resources()
  await dropAll(drop, STREAMS)
  await settled()
  expect(opened()).toBe(STREAMS)
  await eventually(resources, ({ timers }) => timers <= before.timers + 5)
})
