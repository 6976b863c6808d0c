import { expect, test } from 'vitest'
import { call, messagesOf, modern, scriptedGateway } from './scripted-gateway.ts'

const success = { type: 'success', body: {} } as const

test('arguments go to their places, with the ids, the key and the token of the caller', async () => {
  const gateway = scriptedGateway({ answer: () => success })
  const headers = {
    authorization: 'Bearer abc',
    'x-tenant-id': 'acme',
    'x-correlation-id': 'order-17',
    'x-actor-principal': 'mallory',
  }
  const meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  await call(gateway, { campaignId: 'a?b c', goal: 'ctr', dry: true }, { headers, meta })
  const [request] = gateway.sent
  expect(request).toMatchObject({
    method: 'POST',
    path: '/campaigns/a%3Fb%20c/optimizations?dry=true',
    body: '{"goal":"ctr"}',
    facts: { tool: 'create-optimization', version: '2026-07-28', client: 'tester', round: 1 },
  })
  expect(request?.headers).toEqual({
    Authorization: 'Bearer abc',
    'X-Tenant-ID': 'acme',
    'X-Correlation-ID': 'order-17',
    'X-Request-ID': '00000000-0000-4000-8000-000000000002',
    'Content-Type': 'application/json',
    'Idempotency-Key': '00000000-0000-4000-8000-000000000001',
    Accept: 'application/json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  })
})

test('an idempotency key comes from _meta, then the header, then the parameters', async () => {
  const gateway = scriptedGateway({ answer: () => success })
  const given = { campaignId: 'c' }
  const headers = { 'idempotency-key': 'by-header' }
  const params = { idempotencyKey: 'by-params' }
  await call(gateway, given, { headers, params, meta: { 'org.agentic-rest/idempotencyKey': 'by-meta' } })
  await call(gateway, given, { headers, params })
  await call(gateway, given, { params })
  expect(gateway.sent.map((each) => each.headers['Idempotency-Key'])).toEqual([
    'by-meta',
    'by-header',
    'by-params',
  ])
})

test('an idempotency key is an argument only where the route says so, and stays out of the body', async () => {
  const open = scriptedGateway({ answer: () => success, mcp: { idempotencyArgument: true } })
  await call(open, { campaignId: 'c', idempotencyKey: 'k1' })
  expect(open.sent[0]).toMatchObject({ body: '{}', headers: { 'Idempotency-Key': 'k1' } })
  const closed = scriptedGateway({ answer: () => success })
  const { error } = await call(closed, { campaignId: 'c', idempotencyKey: 'k1' })
  expect(error).toEqual({ code: -32602, message: 'Unknown argument: idempotencyKey' })
})

test('two equal calls have different keys', async () => {
  const gateway = scriptedGateway({ answer: () => success })
  await call(gateway, { campaignId: 'c' })
  await call(gateway, { campaignId: 'c' })
  expect(new Set(gateway.sent.map((each) => each.headers['Idempotency-Key'])).size).toBe(2)
})

test('a key that no header can carry is refused before anything is sent', async () => {
  const gateway = scriptedGateway({ answer: () => success })
  const { error } = await call(
    gateway,
    { campaignId: 'c' },
    { meta: { 'org.agentic-rest/idempotencyKey': 'a\nb' } },
  )
  expect(error).toEqual({
    code: -32602,
    message: 'The idempotency key has 1 to 256 printable ASCII characters',
  })
  expect(gateway.sent).toEqual([])
})

test.each(['.', '..', '..;x', 'a/b', 'a\\b', 'a\0', '\ud800'])(
  'the path segment %j is refused with a typed answer',
  async (campaignId) => {
    const gateway = scriptedGateway({ answer: () => success })
    const { result } = await call(gateway, { campaignId })
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        type: 'validation_failed',
        errors: [{ field: 'campaignId', message: 'is not a path segment' }],
      },
    })
    expect(gateway.sent).toEqual([])
  },
)

// Servers cut the connection of a longer request, which would count as a failure of the service.
test.each([{ campaignId: 'c'.repeat(9000) }, { campaignId: 'c', dry: 'd'.repeat(9000) }])(
  'arguments that are too long for a path or a query are refused with a typed answer',
  async (given) => {
    const gateway = scriptedGateway({ answer: () => success })
    const { result } = await call(gateway, given)
    const message = 'are too long: at most 8192 characters fit outside the body'
    expect(result.structuredContent).toMatchObject({
      type: 'validation_failed',
      errors: [{ field: 'arguments', message }],
    })
    expect(gateway.sent).toEqual([])
  },
)

test('an argument without a name is not the whole body, and a long name is cut', async () => {
  const gateway = scriptedGateway({ answer: () => success, mcp: { input: 'none' } })
  expect((await call(gateway, { campaignId: 'c', '': [] })).error.message).toBe('Unknown argument: ')
  const strict = scriptedGateway({ answer: () => success })
  const { error } = await call(strict, { campaignId: 'c', ['x'.repeat(1000)]: 1 })
  expect(error).toEqual({ code: -32602, message: `Unknown argument: ${'x'.repeat(64)}` })
})

test('an unknown tool and a hidden tool are different: the hidden one is judged', async () => {
  const gateway = scriptedGateway({
    answer: () => ({ type: 'forbidden', code: 'INSUFFICIENT_ROLES', message: 'No.' }),
  })
  const eve = { issuer: 'https://id.example.com', subject: 'eve', tenant: 'acme' }
  const [list] = await messagesOf(await modern(gateway, 'tools/list', {}, { caller: eve }))
  expect(list.result.tools).toEqual([])
  expect((await call(gateway, { campaignId: 'c' }, { caller: eve })).result.structuredContent.type).toBe(
    'forbidden',
  )
  const [unknown] = await messagesOf(await modern(gateway, 'tools/call', { name: 'other' }))
  expect(unknown.error).toEqual({ code: -32602, message: 'Unknown tool: other' })
})

test('a GET has no body and no key', async () => {
  const gateway = scriptedGateway({
    answer: () => success,
    method: 'GET',
    path: '/campaigns/{id}',
    mcp: { input: 'none' },
  })
  await call(gateway, { id: 7, tag: ['a', 'b'], filter: { x: 1 } })
  expect(gateway.sent[0]).toMatchObject({
    path: '/campaigns/7?tag=a&tag=b&filter=%7B%22x%22%3A1%7D',
    body: undefined,
  })
  expect(gateway.sent[0]?.headers).not.toHaveProperty('Idempotency-Key')
})
