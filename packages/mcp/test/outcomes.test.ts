import { type Outcome, outcomes } from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import { call, messagesOf, modern, type Scripted, scriptedGateway } from './scripted-gateway.ts'

const trace = {
  correlationId: '00000000-0000-4000-8000-000000000002',
  requestId: '00000000-0000-4000-8000-000000000003',
}
const serverInfo = { name: 'acme-agents', version: '1.0.0', title: 'Agents of Acme' }
const metaWith = (type: string, status: number, more = {}) => ({
  'org.agentic-rest/outcome': { type, status, profile: 'v0.3', trace, ...more },
  'io.modelcontextprotocol/serverInfo': serverInfo,
})
const callFor = (answer: Scripted) =>
  call(scriptedGateway({ answer: () => answer }), { campaignId: 'c1', goal: 'ctr' })

describe('an outcome on 2026-07-28', () => {
  test('success is complete, with the body as text and as a value', async () => {
    expect(await callFor({ type: 'success', body: { a: 1 } })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: JSON.stringify({ a: 1, trace }) }],
        structuredContent: { a: 1, trace },
        _meta: metaWith('success', 200),
      },
    })
  })

  test('created is told from success by its type', async () => {
    const { result } = await callFor({ type: 'created', body: { id: 'o1' } })
    expect(result.isError).toBeUndefined()
    expect(result._meta['org.agentic-rest/outcome']).toEqual({
      type: 'created',
      status: 201,
      profile: 'v0.3',
      trace,
    })
  })

  test('conflict is an error with the whole typed body', async () => {
    const outcome = {
      type: 'conflict',
      code: 'ROOM_TAKEN',
      message: 'The room is taken.',
      conflictingResourceId: 'stay-9',
    } as const
    const body = { ...outcome, trace }
    expect(await callFor(outcome)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        isError: true,
        content: [{ type: 'text', text: JSON.stringify(body) }],
        structuredContent: body,
        _meta: metaWith('conflict', 409),
      },
    })
  })

  test.each<Outcome>([
    { type: 'validation_failed', message: 'No.', errors: [{ field: 'goal', message: 'is wrong' }] },
    { type: 'forbidden', code: 'INSUFFICIENT_ROLES', message: 'No.' },
    { type: 'failed_dependency', code: 'UPSTREAM', message: 'No.' },
    { type: 'error', code: 'BROKEN', message: 'No.' },
  ])('$type is an error by its type', async (outcome) => {
    const { result } = await callFor(outcome)
    expect(result).toMatchObject({
      resultType: 'complete',
      isError: true,
      structuredContent: { type: outcome.type },
    })
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    expect(result._meta['org.agentic-rest/outcome']).toMatchObject({
      type: outcome.type,
      status: outcomes[outcome.type].status,
    })
  })

  test('a limit of the gateway is an error with its status and the seconds to wait', async () => {
    const { result } = await callFor({
      type: 'error',
      code: 'LIMIT_EXCEEDED',
      message: 'Too many.',
      condition: 'limit_exceeded',
      retryAfter: 60,
    })
    expect(result.structuredContent).toMatchObject({ code: 'LIMIT_EXCEEDED', retryAfter: 60 })
    expect(result._meta['org.agentic-rest/outcome']).toMatchObject({
      type: 'error',
      status: 429,
      retryAfter: 60,
    })
  })

  test('a replayed answer says so', async () => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Replayed': 'true' }
    const { result } = await callFor({ status: 200, headers, body: '{"a":1}' })
    expect(result._meta['org.agentic-rest/outcome'].replayed).toBe(true)
  })

  test('an empty success has a text and no value, and is no error', async () => {
    const { result } = await callFor({ status: 204, headers: {}, body: '' })
    expect(result.content).toEqual([{ type: 'text', text: '{"type":"success"}' }])
    expect(result).not.toHaveProperty('structuredContent')
    expect(result).not.toHaveProperty('isError')
  })

  test('a list is the value itself', async () => {
    const { result } = await callFor({ status: 200, headers: {}, body: ' [1, 2]' })
    expect(result.structuredContent).toEqual([1, 2])
    expect(result.content).toEqual([{ type: 'text', text: '[1,2]' }])
  })

  test('a status outside the table is an error', async () => {
    const { result } = await callFor({ status: 302, headers: {}, body: 'Moved' })
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'Moved' }] })
  })

  test('a missing token is the status of the whole answer', async () => {
    const gateway = scriptedGateway({
      answer: () => ({
        type: 'error',
        code: 'TOKEN_EXPIRED',
        message: 'Expired.',
        condition: 'unauthenticated',
      }),
    })
    const answer = await modern(gateway, 'tools/call', {
      name: 'create-optimization',
      arguments: { campaignId: 'c' },
    })
    expect(answer.status).toBe(401)
    expect(answer.headers).toMatchObject({
      'WWW-Authenticate':
        'Bearer resource_metadata="https://agents.example.com/.well-known/oauth-protected-resource/mcp"',
      'Content-Type': 'application/vnd.agentic.error+json',
    })
    expect((await messagesOf(answer))[0]).toMatchObject({ type: 'error', code: 'TOKEN_EXPIRED' })
    expect(answer.facts.result).toBe('refused')
  })

  test('a missing scope is a status, a missing role is a result', async () => {
    const gateway = scriptedGateway({
      answer: () => ({
        status: 403,
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="optimize"' },
        body: '{"type":"forbidden","code":"INSUFFICIENT_SCOPE","message":"No."}',
      }),
    })
    const answer = await modern(gateway, 'tools/call', {
      name: 'create-optimization',
      arguments: { campaignId: 'c' },
    })
    expect(answer.status).toBe(403)
    expect(answer.headers['WWW-Authenticate']).toMatch(
      /^Bearer error="insufficient_scope", scope="optimize", resource_metadata=/,
    )
  })
})
