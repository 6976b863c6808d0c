import type { Answer } from '../../src/index.ts'
import { sampleOutcomes } from '../sample-outcomes.ts'
import { clientAt, collect, errorOf, type Place, type Scenario, same } from './scenario.ts'

/** Event streams. */
export const streamScenarios: readonly Scenario[] = [
  {
    title: 'events are read whatever their line ends and chunks',
    async run(place) {
      const opened: Answer[] = []
      const events = await collect(
        clientAt(place).stream(
          { method: 'POST', path: '/events/plain', body: { prompt: 'hi' }, correlationId: 'stream-1' },
          { onOpen: (answer) => opened.push(answer) },
        ),
      )
      same(events, [
        { event: 'message', data: 'first', id: '' },
        { event: 'token', data: 'grüße 🎉\nzweite Zeile', id: '7' },
        { event: 'message', data: '', id: '' },
        { event: 'prompt', data: '{"prompt":"hi"}', id: '' },
      ])
      same([opened.length, opened[0]?.profile], [1, 'v0.3'])
      same(opened[0]?.trace.correlationId, 'stream-1')
    },
  },
  {
    title: 'leaving the loop ends the request',
    async run(place) {
      const correlationId = crypto.randomUUID()
      const client = clientAt(place)
      for await (const { data } of client.stream({
        method: 'POST',
        path: '/events/endless',
        correlationId,
      })) {
        same(data, 'tick')
        break
      }
      await untilClosed(place, correlationId)
    },
  },
  {
    title: 'a last error frame is thrown with its outcome',
    async run(place) {
      const got: string[] = []
      const error = await errorOf(
        (async () => {
          for await (const { data } of clientAt(place).stream({ method: 'POST', path: '/events/failed' }))
            got.push(data)
        })(),
      )
      same([error['name'], error['code'], got], ['StreamError', 'STREAM_FAILED', ['one']])
      same(error['outcome'], sampleOutcomes.failed_dependency)
    },
  },
  {
    title: 'an error event in other words is an event',
    async run(place) {
      const events = await collect(clientAt(place).stream({ method: 'POST', path: '/events/own-error' }))
      same(
        events.map(({ event, data }) => [event, data]),
        [
          ['error', 'my own words'],
          ['error', '{"type":"error"}'],
          ['message', 'two'],
        ],
      )
    },
  },
  {
    title: 'a stream that is refused is thrown with its outcome',
    async run(place) {
      const error = await streamError(place, 'refused')
      same([error['name'], error['code']], ['StreamError', 'STREAM_REFUSED'])
      same(error['outcome'], {
        type: 'error',
        condition: 'limit_exceeded',
        code: 'LIMIT_EXCEEDED',
        message: 'Too many.',
        retryAfter: 60,
      })
    },
  },
  {
    title: 'an ordinary answer in place of a stream is thrown with its outcome',
    async run(place) {
      const error = await streamError(place, 'json')
      same([error['code'], error['outcome']], ['STREAM_REFUSED', sampleOutcomes.success])
    },
  },
  {
    title: 'a stream that breaks off is a broken connection, or the gateway’s last frame',
    async run(place) {
      const error = await streamError(place, 'cut')
      if (!place.throughGateway) return same([error['name'], error['code']], ['TransportError', 'NETWORK'])
      same([error['name'], error['code']], ['StreamError', 'STREAM_FAILED'])
      const { type, code } = error['outcome'] as { type: string; code: string }
      same([type, code], ['failed_dependency', 'UPSTREAM_UNAVAILABLE'])
    },
  },
  {
    title: 'an event without end is cut off at the limit',
    async run(place) {
      const error = await streamError(place, 'long', { maxEventLength: 5000 })
      same([error['name'], error['code']], ['TransportError', 'EVENT_TOO_LARGE'])
    },
  },
  {
    title: 'a stream that falls silent is left in time',
    async run(place) {
      const stream = clientAt(place).stream({ method: 'POST', path: '/events/silent' }, { idleTimeoutMs: 60 })
      same((await errorOf(collect(stream)))['code'], 'TIMEOUT')
    },
  },
  {
    title: 'the time for a stream to begin does not count while it runs',
    async run(place) {
      let seen = 0
      const stream = clientAt(place, { timeoutMs: 1500 }).stream({ method: 'POST', path: '/events/endless' })
      const until = Date.now() + 1700
      for await (const { data } of stream) {
        seen += data.length
        if (Date.now() > until) break
      }
      same(seen > 0, true)
    },
  },
  {
    title: 'a caller that leaves ends the stream with its own reason',
    async run(place) {
      const controller = new AbortController()
      const request = { method: 'POST', path: '/events/silent', signal: controller.signal }
      const error = await errorOf(
        (async () => {
          for await (const _ of clientAt(place).stream(request)) controller.abort('enough')
        })(),
      )
      same([error['name'], error['code'], error['cause']], ['TransportError', 'ABORTED', 'enough'])
    },
  },
]

function streamError(place: Place, kind: string, options = {}) {
  return errorOf(collect(clientAt(place, options).stream({ method: 'POST', path: `/events/${kind}` })))
}

/** Waits until the service notices that the client has left. */
async function untilClosed(place: Place, correlationId: string): Promise<void> {
  const until = Date.now() + 120_000
  while (Date.now() < until) {
    const outcome = await clientAt(place).request<{ closed: number }>({
      method: 'GET',
      path: '/closed/{name}',
      params: { name: 'streams' },
      query: { correlationId },
    })
    if (outcome.type === 'success' && outcome.body.closed === 1) return
    // Wait: a pause between two questions. These scenarios also run in browsers and import no starters.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('the service never saw the stream closed')
}
