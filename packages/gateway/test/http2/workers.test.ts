import { once } from 'node:events'
import { connect } from 'node:http2'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { makeCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { expect, onTestFinished, test } from 'vitest'
import { startSupervisor } from '../workers/start-supervisor.ts'
import { ask, request } from './harness.ts'

test('workers serve connections with HTTP/2 that are handed to them, and a drain finishes their streams', async () => {
  const upstream = await startEventUpstream()
  const { cert, key } = makeCertificate()
  const files = writeFiles({ cert, key })
  const { supervisor, url } = await startSupervisor({
    gateway: {
      workers: 2,
      drain_seconds: 10,
      tls: { cert_file: files.cert, key_file: files.key },
      llm: { max_sse_connections_per_tenant: 10 },
    },
    routes: [{ id: 'events', method: 'GET', path: '/events', target: upstream.url, mode: 'sse' }],
  })
  const sessions = Array.from({ length: 4 }, () => {
    const session = connect(url.replace('http:', 'https:'), { ca: cert })
    session.on('error', () => undefined)
    onTestFinished(() => session.destroy())
    return session
  })
  // Two streams on each connection, so that each worker has some.
  const streams = [...sessions, ...sessions].map((session) =>
    request(session, '/events', { accept: 'text/event-stream' }),
  )
  await Promise.all(streams.map((stream) => once(stream, 'response')))
  await upstream.opened(streams.length - 1)
  for (const session of sessions) expect((await ask(session, '/healthz')).status).toBe(200)
  const told = sessions.map((session) => once(session, 'goaway'))
  const drained = supervisor.drain()
  await Promise.all(told)
  // Read before a connection ends: Node drops what nobody has read by then.
  const last = Promise.all(streams.map(async (stream) => String(await once(stream, 'data'))))
  for (const { response } of upstream.streams) response.end('data: last\n\n')
  expect(await last).toEqual(streams.map(() => 'data: last\n\n'))
  await drained
})
