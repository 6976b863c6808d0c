import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it } from 'vitest'
import { expectRefusal } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

const LIMIT = 1000
const chunkedPost = (headers = '') =>
  `POST /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n${headers}Transfer-Encoding: chunked\r\n\r\n` +
  `${(5 * LIMIT).toString(16)}\r\n${'x'.repeat(5 * LIMIT)}\r\n0\r\n\r\n`

async function start(plugins: Record<string, unknown> = {}) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  return startGateway({
    gateway: {
      limits: {
        max_body_bytes: LIMIT,
        max_upstream_connections_per_origin: 1,
        max_upstream_queue_per_origin: 0,
      },
    },
    ...plugins,
    routes: [
      { id: 'write', method: 'POST', path: '/r', target: upstream.url },
      { id: 'read', method: 'GET', path: '/r', target: upstream.url },
    ],
  })
}

it.each([
  ['in one packet', '', {}],
  ['with a key', 'Idempotency-Key: k-1\r\n', {}],
  ['read for the audit', '', { plugins: { 'otel-audit': { include_request_body: true } } }],
])(
  'a chunked body over the limit, %s, is 413 and leaves its place to the next',
  async (_title, headers, plugins) => {
    const { port, url } = await start(plugins)
    const { send, response } = await openConnection(port)
    send(chunkedPost(headers))
    expectRefusal(await response(), 413, 'BODY_TOO_LARGE')
    expect((await sendRequest(`${url}/r`)).status).toBe(200)
  },
)
