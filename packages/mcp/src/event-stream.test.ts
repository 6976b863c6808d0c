import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents } from './event-stream.ts'
import type { StreamEvent } from './facade/inner-exchange.ts'

async function eventsOf(...chunks: readonly (string | Uint8Array)[]) {
  const stream = (async function* () {
    for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
  })()
  const events: StreamEvent[] = []
  for await (const event of readEvents(stream)) events.push(event)
  return events
}

test('events have a name, data of several lines and an id', async () => {
  expect(
    await eventsOf('event: delta\nid: 7\ndata: a\ndata:b\ndata\n\n: comment\n\ndata: {"c":1}\n\n'),
  ).toEqual([
    { event: 'delta', data: 'a\nb\n', id: '7' },
    { data: '{"c":1}', id: '7' },
  ])
})

test('an unfinished event is not an event', async () => {
  expect(await eventsOf('data: a\n\ndata: b\n')).toEqual([{ data: 'a' }])
})

test('every kind of line end and every cut of the bytes give the same events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(60), { maxLength: 5 }),
      async (end, cuts) => {
        const text = ['event: ü', 'data: a:b', '', 'data: 😀', '', ''].join(end)
        const bytes = new TextEncoder().encode(text)
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place))
        const events = await eventsOf(...chunks)
        expect(events).toEqual([{ event: 'ü', data: 'a:b' }, { data: '😀' }])
      },
    ),
  )
})

test('an endless event is refused', async () => {
  await expect(eventsOf(`data: ${'x'.repeat(5_000_000)}`)).rejects.toThrow(
    'an event is longer than 4194304 characters',
  )
})
