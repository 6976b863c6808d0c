import { createStdioBridge } from '@agentic-rest/mcp'
import { expect, test } from 'vitest'
import { type Json, modernRequest } from './scripted-gateway.ts'

interface Sent {
  readonly headers: Headers
  readonly body: Json
  readonly signal: AbortSignal | null | undefined
}

/** A bridge whose requests a function answers. */
function bridgeTo(answer: (request: Sent, count: number) => Response | Promise<Response>) {
  const sent: Sent[] = []
  const written: Json[] = []
  const bridge = createStdioBridge({
    url: 'https://agents.example.com/mcp',
    headers: { Authorization: 'Bearer abc' },
    fetch: async (_url, init) => {
      const request = {
        headers: new Headers(init?.headers),
        body: JSON.parse(String(init?.body)),
        signal: init?.signal,
      }
      sent.push(request)
      return answer(request, sent.length)
    },
    write: (line) => written.push(JSON.parse(line)),
  })
  const receive = (message: unknown) => bridge.receive(JSON.stringify(message))
  return { bridge, sent, written, receive }
}

const ok = { jsonrpc: '2.0', id: 1, result: {} }
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {} },
}
const begun = (session: string) =>
  Response.json(
    { jsonrpc: '2.0', id: 0, result: { protocolVersion: '2025-11-25' } },
    { headers: { 'Mcp-Session-Id': session } },
  )

test('a request of 2026-07-28 has its headers, and its answer is one line', async () => {
  const { sent, written, receive } = bridgeTo(() => Response.json(ok))
  await receive(modernRequest('tools/call', { name: 'größe' }))
  const [request] = sent
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    authorization: 'Bearer abc',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': `=?base64?${Buffer.from('größe').toString('base64')}?=`,
  })
  expect(written).toEqual([ok])
})

test('the messages of a stream are lines of their own', async () => {
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }
  const text = `: keepalive\n\nevent: message\ndata: ${JSON.stringify(progress)}\n\ndata: ${JSON.stringify(ok)}\n\n`
  const { written, receive } = bridgeTo(
    () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  )
  await receive(modernRequest('tools/list', {}))
  expect(written).toEqual([progress, ok])
})

test('a session is kept, and begun again when it has ended', async () => {
  const { sent, written, receive } = bridgeTo(({ body, headers }, count) => {
    if (body.method === 'initialize') return begun(`s${count}`)
    if (headers.get('mcp-session-id') === 's1' && count > 2) return Response.json({}, { status: 404 })
    return Response.json(ok)
  })
  await receive(initialize)
  await receive({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  await receive({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
  expect(sent.map(({ body, headers }) => [body.method, headers.get('mcp-session-id')])).toEqual([
    ['initialize', null],
    ['tools/list', 's1'],
    ['tools/list', 's1'],
    ['initialize', null],
    ['tools/list', 's4'],
  ])
  expect(sent[1]?.headers.get('mcp-protocol-version')).toBe('2025-11-25')
  expect(written).toHaveLength(3)
})

test('answers and notifications are passed on, and have no line of their own', async () => {
  const { sent, written, receive } = bridgeTo(({ body }) =>
    body.method === 'initialize' ? begun('s1') : new Response(null, { status: 202 }),
  )
  await receive(initialize)
  await receive({ jsonrpc: '2.0', id: 'w1.x', result: { action: 'accept' } })
  await receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  expect(sent).toHaveLength(3)
  expect(written).toHaveLength(1)
})

test('a cancellation on 2026-07-28 ends the request', async () => {
  const { sent, written, receive } = bridgeTo(
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')))
      }),
  )
  const pending = receive(modernRequest('tools/list', {}))
  await receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await pending
  expect(sent).toHaveLength(1)
  expect(written).toEqual([])
})

test('a refused token, an unreachable gateway and a bad line are errors that name the reason', async () => {
  const refused = bridgeTo(() =>
    Response.json({ type: 'error', code: 'TOKEN_EXPIRED', message: 'Expired.' }, { status: 401 }),
  )
  await refused.receive(modernRequest('tools/list', {}))
  await refused.receive(initialize)
  expect(refused.written).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: 'The gateway answered 401 TOKEN_EXPIRED: Expired.' },
    },
    {
      jsonrpc: '2.0',
      id: 0,
      error: { code: -32603, message: 'The gateway answered 401 TOKEN_EXPIRED: Expired.' },
    },
  ])
  const away = bridgeTo(() => Promise.reject(new Error('ECONNREFUSED 10.0.0.1')))
  await away.receive(modernRequest('tools/list', {}))
  await away.bridge.receive('no json')
  await away.bridge.receive('')
  expect(away.written).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'The gateway cannot be reached' } },
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'The line is not a JSON-RPC message' } },
  ])
})
