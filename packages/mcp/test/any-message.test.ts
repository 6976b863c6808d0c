import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alice, call, messagesOf, post, scriptedGateway } from './scripted-gateway.ts'

const method = fc.oneof(
  fc.constantFrom(
    'initialize',
    'tools/call',
    'tools/list',
    'tasks/get',
    'server/discover',
    'subscriptions/listen',
  ),
  fc.string(),
)
const meta = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constant('2026-07-28'), fc.jsonValue()),
    'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), fc.jsonValue()),
    progressToken: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const params = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      _meta: fc.oneof(meta, fc.jsonValue()),
      name: fc.oneof(fc.constant('create-optimization'), fc.jsonValue()),
      arguments: fc.oneof(fc.constant({ campaignId: 'c' }), fc.jsonValue()),
      requestState: fc.jsonValue(),
      inputResponses: fc.jsonValue(),
      taskId: fc.jsonValue(),
      notifications: fc.jsonValue(),
      protocolVersion: fc.jsonValue(),
      capabilities: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
)
const message = fc.oneof(
  fc.jsonValue(),
  fc.record(
    { jsonrpc: fc.constant('2.0'), id: fc.jsonValue(), method, params },
    { requiredKeys: ['jsonrpc', 'method'] },
  ),
  fc.array(fc.record({ jsonrpc: fc.constant('2.0'), id: fc.integer(), method, params }), { maxLength: 3 }),
)
const headers = fc.record(
  {
    'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-11-25', 'none'),
    'mcp-method': fc.constantFrom('tools/call', 'tools/list'),
    'mcp-name': fc.constant('create-optimization'),
    'mcp-session-id': fc.string(),
  },
  { requiredKeys: [] },
)

test('every message has an answer, and none breaks the endpoint', async () => {
  const gateway = scriptedGateway({ answer: () => ({ type: 'success', body: {} }) })
  await fc.assert(
    fc.asyncProperty(message, headers, async (body, given) => {
      // The client leaves, so that no subscription stays open.
      const left = AbortSignal.timeout(1000)
      const answer = await post(gateway, body, { headers: given, signal: left })
      gateway.endpoint.close()
      for (const each of (await messagesOf(answer)).flat()) expect(each.jsonrpc).toBe('2.0')
      expect([200, 202, 400, 404]).toContain(answer.status)
    }),
  )
  expect(gateway.errors).toEqual([])
})

test('every answer of a service becomes a result, and no token leaves', async () => {
  const token = 'the-token-that-must-not-leave'
  const nested = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('value').map((inner) => ({ approvalToken: token, inner })),
    ),
  })).value
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 200, max: 599 }), nested, async (status, body) => {
      fc.pre(status !== 401)
      const gateway = scriptedGateway({ answer: () => ({ status, headers: {}, body: JSON.stringify(body) }) })
      // Accepted work without an address and approvals without a place are results too.
      const { result } = await call(
        gateway,
        { campaignId: 'c' },
        { caller: alice, capabilities: { elicitation: {} } },
      )
      expect(result.content).toHaveLength(1)
      expect(result.isError === true).toBe(status > 299)
      expect(JSON.stringify(result)).not.toContain(token)
      expect(gateway.errors).toEqual([])
    }),
  )
})

test('the trace of a result is that of its request, whatever the body says', async () => {
  const body = JSON.stringify({ trace: { correlationId: 'foreign', requestId: 'foreign' } })
  const gateway = scriptedGateway({ answer: () => ({ status: 200, headers: {}, body }) })
  const { result } = await call(gateway, { campaignId: 'c' }, { headers: { 'x-correlation-id': 'order-17' } })
  expect(result._meta['org.agentic-rest/outcome'].trace).toEqual({
    correlationId: 'order-17',
    requestId: gateway.sent[0]?.headers['X-Request-ID'],
  })
})
