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
  const failures: string[] = []
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
    write: (line) => void written.push(JSON.parse(line)),
    onFailure: (text) => failures.push(text),
  })
  const receive = (message: unknown) => bridge.receive(JSON.stringify(message))
  return { bridge, sent, written, failures, receive }
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
  const versions = sent.map(({ headers }) => headers.get('mcp-protocol-version'))
  expect(versions).toEqual([null, '2025-11-25', '2025-11-25', null, '2025-11-25'])
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

test('a session that cannot be begun again is the error of the request', async () => {
  const { written, receive } = bridgeTo(({ body }, count) => {
    if (count === 1) return begun('s1')
    if (body.method !== 'initialize') return Response.json({}, { status: 404 })
    return Response.json({ type: 'error', code: 'TOKEN_EXPIRED', message: 'Expired.' }, { status: 401 })
  })
  await receive(initialize)
  await receive({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect(written[1]).toMatchObject({ id: 1, error: { data: { status: 401, code: 'TOKEN_EXPIRED' } } })
})

test('requests that find their session ended at once begin one new session', async () => {
  const { sent, written, receive } = bridgeTo(({ body, headers }, count) => {
    if (body.method === 'initialize') return begun(`s${count}`)
    if (headers.get('mcp-session-id') === 's1') return Response.json({}, { status: 404 })
    return Response.json({ ...ok, id: body.id })
  })
  await receive(initialize)
  const list = (id: number) => receive({ jsonrpc: '2.0', id, method: 'tools/list' })
  await list(1)
  await Promise.all([list(2), list(3)])
  expect(sent.filter(({ body }) => body.method === 'initialize')).toHaveLength(2)
  expect(written.map(({ id }) => id)).toEqual([0, 1, 2, 3])
})

test('a stream that ends before the response is an error of the request', async () => {
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }
  const question = { jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: {} }
  const text = [progress, question].map((message) => `data: ${JSON.stringify(message)}\n\n`).join('')
  const headers = { 'content-type': 'text/event-stream' }
  const { written, receive } = bridgeTo((_request, count) => {
    if (count === 1) return new Response(text, { headers })
    const body = new ReadableStream({ pull: (stream) => stream.error(new TypeError('terminated')) })
    return new Response(body, { headers })
  })
  await receive(modernRequest('tools/call', { name: 'a' }))
  await receive(modernRequest('tools/call', { name: 'a' }))
  const error = {
    code: -32603,
    message: 'The stream of the gateway ended before the response',
    data: { code: 'STREAM_BROKEN' },
  }
  expect(written).toEqual([
    progress,
    question,
    { jsonrpc: '2.0', id: 1, error },
    { jsonrpc: '2.0', id: 1, error },
  ])
})

test('a line that is no message is an error, with its id if it has one', async () => {
  const { bridge, sent, written, receive } = bridgeTo(() => Response.json(ok))
  await bridge.receive('{"jsonrpc":"2.0",')
  await receive({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: [] })
  await receive({ id: 'q', method: 'tools/list' })
  await receive([{ jsonrpc: '2.0', id: 1, method: 'ping' }])
  await receive('text')
  await bridge.receive({ id: 9, limit: 1000 })
  expect(written.map(({ id, error }) => [id, error.code, error.message])).toEqual([
    [null, -32700, 'The line is not JSON'],
    [7, -32600, 'The line is not a JSON-RPC message'],
    ['q', -32600, 'The line is not a JSON-RPC message'],
    [null, -32600, 'Batches are not supported'],
    [null, -32600, 'The line is not a JSON-RPC message'],
    [9, -32600, 'The line has more than 1000 bytes'],
  ])
  expect(written[5].error.data).toEqual({ code: 'LINE_TOO_LONG' })
  expect(sent).toEqual([])
})

test('refusals of the gateway and a gateway that is away are errors with a code', async () => {
  const refused = bridgeTo(({ body }) => {
    if (body.method === 'notifications/initialized') return new Response('<html>', { status: 502 })
    if (body.method === 'tools/call')
      return Response.json(
        { type: 'error', code: 'LIMIT_EXCEEDED', message: 'Too many.' },
        { status: 429, headers: { 'retry-after': '60' } },
      )
    return Response.json({ type: 'error', code: 'TOKEN_EXPIRED', message: 'Expired.' }, { status: 401 })
  })
  await refused.receive(initialize)
  await refused.receive(modernRequest('tools/call', { name: 'a' }))
  await refused.receive({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const expired = {
    code: -32603,
    message: 'The gateway answered 401 TOKEN_EXPIRED: Expired.',
    data: { status: 401, code: 'TOKEN_EXPIRED' },
  }
  const limited = {
    code: -32603,
    message: 'The gateway answered 429 LIMIT_EXCEEDED: Too many.',
    data: { status: 429, code: 'LIMIT_EXCEEDED', retryAfter: 60 },
  }
  expect(refused.written).toEqual([
    { jsonrpc: '2.0', id: 0, error: expired },
    { jsonrpc: '2.0', id: 1, error: limited },
  ])
  expect(refused.failures).toEqual([
    expired.message,
    limited.message,
    'The gateway answered 502: the answer is not an MCP message',
  ])
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1'), { code: 'ECONNREFUSED' })
  const away = bridgeTo(() => Promise.reject(new TypeError('fetch failed', { cause })))
  await away.receive(modernRequest('tools/list', {}))
  await away.bridge.receive('')
  const message = 'The gateway cannot be reached'
  expect(away.written).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32603, message, data: { code: 'GATEWAY_UNREACHABLE' } } },
  ])
  expect(away.failures).toEqual([`${message} (ECONNREFUSED)`])
})
