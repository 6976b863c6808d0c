import { describe, expect, test } from 'vitest'
import {
  alice,
  call,
  type Json,
  messagesOf,
  modern,
  modernRequest,
  post,
  scriptedGateway,
} from './scripted-gateway.ts'

const gateway = () => scriptedGateway({ answer: () => ({ type: 'success', body: {} }) })
const supported = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']
const version = { 'mcp-protocol-version': '2026-07-28' }

describe('the endpoint', () => {
  test('discovers itself', async () => {
    const [message] = await messagesOf(await modern(gateway(), 'server/discover', {}))
    expect(message.result).toEqual({
      resultType: 'complete',
      supportedVersions: supported,
      capabilities: { tools: { listChanged: true }, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      ttlMs: 300_000,
      cacheScope: 'private',
      _meta: {
        'io.modelcontextprotocol/serverInfo': {
          name: 'acme-agents',
          version: '1.0.0',
          title: 'Agents of Acme',
        },
      },
    })
  })

  test('lists tools with their time to live, in one page', async () => {
    const [message] = await messagesOf(await modern(gateway(), 'tools/list', {}))
    expect(message.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' })
    const [refused] = await messagesOf(await modern(gateway(), 'tools/list', { cursor: 'x' }))
    expect(refused.error.code).toBe(-32602)
  })

  test.each<[string, Json, Record<string, string>, number, number]>([
    [
      'an unknown version',
      { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' },
      { 'mcp-protocol-version': '2027-01-01' },
      400,
      -32022,
    ],
    ['another version in the header', {}, { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['another method in the header', {}, { 'mcp-method': 'tools/call' }, 400, -32020],
    ['no capabilities', { 'io.modelcontextprotocol/clientCapabilities': undefined }, {}, 400, -32602],
  ])('refuses %s', async (_what, meta, headers, status, code) => {
    const answer = await modern(gateway(), 'tools/list', {}, { meta, headers })
    const [message] = await messagesOf(answer)
    expect([answer.status, message.error.code, message.id]).toEqual([status, code, 1])
    expect(answer.facts.result).toBe('refused')
    if (code === -32022) expect(message.error.data).toEqual({ supported, requested: '2027-01-01' })
  })

  test('refuses a missing header, and a name that is not that of the body', async () => {
    const body = modernRequest('tools/call', { name: 'create-optimization', arguments: { campaignId: 'c' } })
    const codes = async (headers: Record<string, string>) => {
      const answer = await post(gateway(), body, { headers })
      const [message] = await messagesOf(answer)
      return [answer.status, message.error?.code]
    }
    const method = { 'mcp-method': 'tools/call' }
    expect(await codes({})).toEqual([400, -32020])
    expect(await codes(version)).toEqual([400, -32020])
    expect(await codes({ ...version, ...method })).toEqual([400, -32020])
    expect(await codes({ ...version, ...method, 'mcp-name': 'other' })).toEqual([400, -32020])
    expect(await codes({ ...version, ...method, 'mcp-name': '=?base64?!!?=' })).toEqual([400, -32020])
    const encoded = `=?base64?${Buffer.from('create-optimization').toString('base64')}?=`
    expect(await codes({ ...version, ...method, 'mcp-name': encoded })).toEqual([200, undefined])
  })

  test('answers unknown and removed methods with 404', async () => {
    for (const method of ['initialize', 'ping', 'prompts/list', 'constructor']) {
      const answer = await modern(gateway(), method, {})
      expect([answer.status, (await messagesOf(answer))[0].error.code]).toEqual([404, -32601])
    }
  })

  test('answers a bad probe by its header', async () => {
    const probe = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} }
    const named = await post(gateway(), probe, { headers: version })
    expect([named.status, (await messagesOf(named))[0].error.code]).toEqual([400, -32602])
    const unnamed = await post(gateway(), probe)
    expect([unnamed.status, (await messagesOf(unnamed))[0].error.code]).toEqual([404, -32601])
  })

  test.each<[unknown, number, number]>([
    [undefined, 400, -32700],
    [null, 400, -32600],
    ['text', 400, -32600],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, 400, -32600],
  ])('refuses the body %j', async (body, status, code) => {
    const answer = await post(gateway(), body)
    expect([answer.status, (await messagesOf(answer))[0].error.code]).toEqual([status, code])
  })

  test.each<Json>([
    { arguments: {} },
    { name: 'create-optimization', arguments: [] },
    { name: 'create-optimization', inputResponses: null },
    { name: 'create-optimization', requestState: 1 },
  ])('refuses the parameters %j', async (params) => {
    const [message] = await messagesOf(await modern(gateway(), 'tools/call', params))
    expect(message.error.code).toBe(-32602)
  })

  test('has POST only, another type is refused, and GET is never 404', async () => {
    const { endpoint } = gateway()
    const request = { headers: {}, body: undefined, caller: alice, signal: new AbortController().signal }
    const get = await endpoint.handle({ ...request, method: 'GET' })
    expect([get.status, get.headers['Allow']]).toEqual([405, 'POST'])
    expect((await endpoint.handle({ ...request, method: 'DELETE' })).status).toBe(405)
    const session = { 'mcp-session-id': 'any' }
    expect((await endpoint.handle({ ...request, method: 'DELETE', headers: session })).status).toBe(204)
    const plain = { 'content-type': 'text/plain' }
    expect((await endpoint.handle({ ...request, method: 'POST', headers: plain, body: {} })).status).toBe(415)
  })

  test('without the old revisions names the new one', async () => {
    const strict = scriptedGateway({ answer: () => ({ type: 'success', body: {} }), legacy: 'off' })
    const params = { protocolVersion: '2025-11-25', capabilities: {} }
    const answer = await post(strict, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect(answer.status).toBe(400)
    expect((await messagesOf(answer))[0].error).toEqual({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: ['2026-07-28'], requested: '2025-11-25' },
    })
  })

  test('hides the cause of an unexpected error', async () => {
    const broken = scriptedGateway({
      answer: () => {
        throw new Error('secret host db-1')
      },
    })
    const params = { name: 'create-optimization', arguments: { campaignId: 'c' } }
    const answer = await modern(broken, 'tools/call', params)
    const [{ error }] = await messagesOf(answer)
    expect(error).toEqual({ code: -32603, message: 'Internal error' })
    expect(answer.facts.result).toBe('refused')
    expect(broken.errors).toHaveLength(1)
  })
})

test('arguments of 65 levels and of 100,000 are refused', async () => {
  const levels = (count: number): Json => JSON.parse(`${'['.repeat(count)}${']'.repeat(count)}`)
  const goalOf = async (count: number) =>
    (await call(gateway(), { campaignId: 'c', goal: levels(count) })).error?.code
  expect(await goalOf(63)).toBeUndefined()
  expect(await goalOf(64)).toBe(-32602)
  expect(await goalOf(100_000)).toBe(-32602)
  const params = { inputResponses: { inputs: { action: 'accept', content: { goal: levels(100_000) } } } }
  expect((await call(gateway(), { campaignId: 'c' }, { params })).error?.code).toBe(-32602)
})

test('labels of metrics are few, whatever clients send', async () => {
  const labels = async (method: string) => (await modern(gateway(), method, {})).facts
  expect(await labels('tools/list')).toEqual({
    method: 'tools/list',
    version: '2026-07-28',
    result: 'complete',
  })
  expect(await labels('x'.repeat(1000))).toEqual({
    method: 'other',
    version: '2026-07-28',
    result: 'refused',
  })
})

test("a server's own object comes back with every request", async () => {
  const scripted = gateway()
  const source = { exchange: 1 }
  await scripted.endpoint.handle({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create-optimization', arguments: { campaignId: 'c' } },
    },
    caller: alice,
    source,
    signal: new AbortController().signal,
  })
  expect(scripted.sent[0]?.source).toBe(source)
})

describe('a subscription', () => {
  const listen = (notifications: Json, id = 7) => ({ params: { notifications }, id })

  test('is acknowledged, told of changes, and ended', async () => {
    const scripted = gateway()
    const answer = await modern(
      scripted,
      'subscriptions/listen',
      listen({ toolsListChanged: true, promptsListChanged: true }).params,
      { id: 7 },
    )
    const frames = answer.body as AsyncGenerator<string, void>
    const next = async () =>
      JSON.parse(/^data: (.*)$/m.exec((await frames.next()).value ?? '')?.[1] ?? 'null')
    const stamp = { 'io.modelcontextprotocol/subscriptionId': 7 }
    expect(await next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: stamp },
    })
    scripted.endpoint.toolsChanged()
    expect(await next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: stamp },
    })
    scripted.endpoint.close()
    expect(await next()).toMatchObject({ id: 7, result: { resultType: 'complete', _meta: stamp } })
    expect((await frames.next()).done).toBe(true)
  })

  test('to nothing that is offered ends at once, and one without a filter is refused', async () => {
    const ended = await messagesOf(
      await modern(gateway(), 'subscriptions/listen', { notifications: { promptsListChanged: true } }),
    )
    expect(ended.map((message) => message.method ?? 'result')).toEqual([
      'notifications/subscriptions/acknowledged',
      'result',
    ])
    const [refused] = await messagesOf(await modern(gateway(), 'subscriptions/listen', {}))
    expect(refused.error.code).toBe(-32602)
  })

  test('is bounded for each caller and each tenant, and a place comes back', async () => {
    const scripted = gateway()
    const { params } = listen({ toolsListChanged: true })
    const subscribe = async (subject: string, tenant: string, signal?: AbortSignal) => {
      const answer = await modern(scripted, 'subscriptions/listen', params, {
        caller: { ...alice, subject, tenant },
        ...(signal && { signal }),
      })
      return typeof answer.body === 'string' ? JSON.parse(answer.body).error.message : 'open'
    }
    const gone = new AbortController()
    expect(await subscribe('alice', 'acme', gone.signal)).toBe('open')
    for (let n = 1; n < 32; n += 1) expect(await subscribe('alice', 'acme')).toBe('open')
    expect(await subscribe('alice', 'acme')).toBe('Too many subscriptions: a caller may have 32')
    for (let n = 32; n < 256; n += 1) expect(await subscribe(`user-${n % 8}`, 'acme')).toBe('open')
    expect(await subscribe('zoe', 'acme')).toBe('Too many subscriptions: a tenant may have 256')
    expect(await subscribe('alice', 'globex')).toBe('open')
    gone.abort()
    expect(await subscribe('alice', 'acme')).toBe('open')
    scripted.endpoint.close()
  })
})
