import { startServer } from '@agentic-rest/testing/start-server'
import { startService } from '@agentic-rest/testing/start-service'
import { answerTyped, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type CallRequest,
  created,
  defineOperation,
  forbidden,
  type Outcome,
  passThrough,
  type RunContext,
  type ServiceOptions,
  success,
} from '../src/index.ts'
import { ask, trace } from './harness/ask.ts'

/** An outer agent whose operation makes a call and returns the result. */
async function startOuter(
  request: Partial<CallRequest> & Pick<CallRequest, 'baseUrl'>,
  options: Partial<ServiceOptions> = {},
) {
  const outer = defineOperation({
    id: 'outer',
    method: 'POST',
    path: '/outer',
    async run({ call }) {
      const inner = await call({ method: 'GET', path: '/stock', ...request })
      return success({ inner })
    },
  })
  const started = await startService({ operations: [outer], ...options })
  const send = async (headers: Record<string, string | undefined> = {}) => {
    const answer = await ask(`${started.url}/outer`, { method: 'POST', headers })
    return { ...answer, inner: JSON.parse(answer.text).inner as Outcome }
  }
  return { ...started, send }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ok = (
  _request: unknown,
  response: { end(text: string): void; setHeader(name: string, value: string): void },
) => {
  response.setHeader('content-type', 'application/json')
  response.end('{"available":3}')
}

describe('a call', () => {
  it('carries tenant, correlation id, key, approval token and traceparent unchanged, and a request id of its own', async () => {
    const inner = await startUpstream(ok)
    const { send } = await startOuter({ baseUrl: inner.url })
    const passedOn = {
      'x-tenant-id': 'globex',
      'x-correlation-id': 'corr 7',
      'idempotency-key': 'key-7',
      'x-approval-token': 'token-7',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    }
    const answer = await send({ ...passedOn, authorization: 'Bearer end-user', 'x-actor-roles': 'admin' })
    expect(answer.inner).toEqual({ type: 'success', body: { available: 3 } })
    const [seen] = inner.requests
    expect(seen?.headers).toMatchObject(passedOn)
    expect(seen?.headers['x-request-id']).toMatch(uuid)
    expect(seen?.headers['authorization']).toBeUndefined()
    expect(seen?.headers['x-actor-roles']).toBeUndefined()
    expect(seen?.headers['x-actor-subject']).toBeUndefined()
  })

  it('leaves out what the request does not have', async () => {
    const inner = await startUpstream(ok)
    const { send } = await startOuter({ baseUrl: inner.url })
    await send()
    const names = ['idempotency-key', 'x-approval-token', 'traceparent', 'authorization', 'content-type']
    expect(names.filter((name) => inner.requests[0]?.headers[name] !== undefined)).toEqual([])
  })

  it('fills and encodes path, query and body, below the path of the base', async () => {
    const inner = await startUpstream(ok)
    const { send } = await startOuter({
      baseUrl: `${inner.url}/agents/b/`,
      method: 'POST',
      path: '/inventory/{productId}/stock/{n}',
      params: { productId: 'a b/c?d', n: 7 },
      query: { q: 'x&y', tags: ['a', 'b'], exact: true, none: undefined },
      body: { name: 'é' },
      headers: { 'X-Region': 'eu', 'X-Tenant-ID': 'other', 'x-correlation-id': 'other' },
    })
    await send()
    const [seen] = inner.requests
    expect(seen?.method).toBe('POST')
    expect(seen?.url).toBe('/agents/b/inventory/a%20b%2Fc%3Fd/stock/7?q=x%26y&tags=a&tags=b&exact=true')
    expect(seen?.body.toString()).toBe('{"name":"é"}')
    expect(seen?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-region': 'eu',
      'x-tenant-id': 'acme',
      'x-correlation-id': trace.correlationId,
    })
  })

  it.each(['', '.', '..'])(
    'with %j in the path is not made, because it would go elsewhere',
    async (productId) => {
      const inner = await startUpstream(ok)
      const { send } = await startOuter({
        baseUrl: inner.url,
        path: '/a/{productId}/b',
        params: { productId },
      })
      expect((await send()).inner).toEqual({
        type: 'validation_failed',
        message: 'The request is not valid.',
        errors: [{ field: 'productId', message: 'The value cannot be used in a path.' }],
      })
      expect(inner.requests).toEqual([])
    },
  )

  it('without a parameter that its path needs is a mistake of the operation', async () => {
    const { send, log } = await startOuter({ baseUrl: 'http://127.0.0.1:9', path: '/a/{productId}' })
    expect((await send()).status).toBe(500)
    expect(log[0]?.fields['cause']).toEqual(new TypeError('the path parameter productId is missing'))
  })
})

describe('the identity of a call', () => {
  it('is the end user where the token is passed through', async () => {
    const inner = await startUpstream(ok)
    const { send } = await startOuter({ baseUrl: inner.url, identity: passThrough() })
    await send({ authorization: 'Bearer end-user' })
    expect(inner.requests[0]?.headers['authorization']).toBe('Bearer end-user')
  })

  it('that cannot be had is a failed dependency, and nothing is sent', async () => {
    const inner = await startUpstream(ok)
    const { send } = await startOuter({ baseUrl: inner.url }, { identity: passThrough() })
    expect((await send()).inner).toEqual({
      type: 'failed_dependency',
      code: 'DEPENDENCY_IDENTITY_UNAVAILABLE',
      message: 'The identity to call another service with cannot be had at the moment.',
    })
    expect(inner.requests).toEqual([])
  })
})

describe('the outcome of a call', () => {
  const vendor = 'application/vnd.agentic'
  it.each<[string, [number, string, object], Outcome]>([
    ['created', [201, 'application/json', { id: 1 }], { type: 'created', body: { id: 1 } }],
    [
      'forbidden',
      [403, `${vendor}.error+json`, { type: 'forbidden', code: 'NO', message: 'm' }],
      { type: 'forbidden', code: 'NO', message: 'm' },
    ],
    [
      'conflict',
      [
        409,
        `${vendor}.conflict+json`,
        { type: 'conflict', code: 'C', message: 'm', conflictingResourceId: 'r' },
      ],
      { type: 'conflict', code: 'C', message: 'm', conflictingResourceId: 'r' },
    ],
    [
      'a condition',
      [404, `${vendor}.error+json`, { type: 'error', code: 'NOT_FOUND', message: 'm' }],
      { type: 'error', code: 'NOT_FOUND', message: 'm', condition: 'not_found' },
    ],
  ])('is what the inner agent said: %s', async (_title, row, outcome) => {
    const inner = await startUpstream((request, response) => answerTyped(request, response, row))
    const { send } = await startOuter({ baseUrl: inner.url })
    expect((await send()).inner).toEqual(outcome)
  })

  it.each([
    ['as a path alone where callers cannot reach it', undefined, ''],
    ['in full where callers reach it', 'https://agents.example/b', 'https://agents.example'],
  ])('has the address of accepted work, %s', async (_title, publicUrl, host) => {
    const body = { type: 'operation_accepted', operationId: 'op-1', statusUrl: '/operations/op-1/status' }
    const inner = await startUpstream((request, response) =>
      answerTyped(request, response, [202, `${vendor}.operation+json`, body]),
    )
    const { send } = await startOuter({ baseUrl: `${inner.url}/below`, ...(publicUrl && { publicUrl }) })
    expect((await send()).inner).toEqual({
      type: 'accepted',
      operationId: 'op-1',
      statusUrl: `${host}/operations/op-1/status`,
    })
  })
})

const unavailable = {
  type: 'failed_dependency',
  code: 'DEPENDENCY_UNAVAILABLE',
  message: 'A service that the operation depends on does not answer.',
}
const invalid = {
  type: 'failed_dependency',
  code: 'DEPENDENCY_INVALID_RESPONSE',
  message: 'A service that the operation depends on answered with something that the profile does not allow.',
}

describe('an inner agent that fails is a failed dependency', () => {
  it('when nobody listens', async () => {
    const { send, log } = await startOuter({ baseUrl: 'http://127.0.0.1:9' })
    const answer = await send()
    expect(answer.inner).toEqual(unavailable)
    expect(answer.text).not.toContain('127.0.0.1')
    expect(log).toMatchObject([
      { level: 'warn', message: 'a call to another agent failed', fields: { baseUrl: 'http://127.0.0.1:9' } },
    ])
  })

  it('when the connection is cut', async () => {
    const { url: baseUrl } = await startServer((request) => void request.socket.destroy())
    expect((await (await startOuter({ baseUrl })).send()).inner).toEqual(unavailable)
  })

  it('when the answer is cut', async () => {
    const { url: baseUrl } = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"a":', () => response.destroy())
    })
    expect((await (await startOuter({ baseUrl })).send()).inner).toEqual(unavailable)
  })

  it.each([
    ['does not answer', false],
    ['never ends its answer', true],
  ])('when it %s in time', async (_title, begins) => {
    const { url: baseUrl } = await startServer((_request, response) => {
      if (begins) response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    })
    const { send } = await startOuter({ baseUrl, timeoutSeconds: 0.1 })
    expect((await send()).inner).toEqual({
      type: 'failed_dependency',
      code: 'DEPENDENCY_TIMEOUT',
      message: 'A service that the operation depends on did not answer in time.',
    })
  })

  it.each<[string, number, Record<string, string>, string]>([
    ['HTML', 200, { 'content-type': 'text/html' }, '<html>'],
    ['broken JSON', 200, { 'content-type': 'application/json' }, '{'],
    ['a status outside the profile', 418, { 'content-type': 'application/json' }, '{}'],
    ['a redirect', 302, { location: 'http://127.0.0.1:9/', 'content-type': 'application/json' }, '{}'],
    [
      'a typed body without a trace',
      409,
      { 'content-type': 'application/vnd.agentic.conflict+json' },
      '{"type":"conflict","code":"C","message":"m"}',
    ],
    [
      'the trace of another request',
      409,
      { 'content-type': 'application/vnd.agentic.conflict+json' },
      '{"type":"conflict","code":"C","message":"m","trace":{"correlationId":"corr-1","requestId":"other"}}',
    ],
    ['bytes that are not UTF-8', 200, { 'content-type': 'application/json' }, '\xff'],
  ])('when it answers with %s', async (_title, status, headers, body) => {
    const inner = await startUpstream((_request, response) =>
      response.writeHead(status, headers).end(body, 'latin1'),
    )
    expect((await (await startOuter({ baseUrl: inner.url })).send()).inner).toEqual(invalid)
  })

  it('when it answers with more than may be read', async () => {
    const inner = await startUpstream((_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify('x'.repeat(2000)))
    })
    const { send } = await startOuter({ baseUrl: inner.url }, { maxResponseBytes: 1000 })
    expect((await send()).inner).toEqual(invalid)
  })
})

describe('a call that a caller waits for ends when the caller leaves', () => {
  it('at once', async () => {
    const asked = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const { url: baseUrl } = await startServer((request) => {
      asked.resolve()
      request.socket.on('close', () => closed.resolve())
    })
    const { url } = await startOuter({ baseUrl })
    const controller = new AbortController()
    const left = ask(`${url}/outer`, { method: 'POST', signal: controller.signal })
    await asked.promise
    controller.abort()
    await expect(left).rejects.toThrow()
    await closed.promise
  })
})

describe('two agents of this kit', () => {
  const stock = defineOperation({
    id: 'stock',
    method: 'GET',
    path: '/inventory/{productId}/stock',
    input: z.object({ productId: z.string(), warehouse: z.string().describe('Which warehouse?') }),
    run: ({ input }) => success({ available: input.warehouse === 'w1' ? 3 : 0 }),
  })

  function recommend(baseUrl: string) {
    return defineOperation({
      id: 'recommend',
      method: 'POST',
      path: '/products/{productId}/recommendations',
      input: z.object({ productId: z.string(), preferredWarehouse: z.string().optional() }),
      async run({
        input,
        call,
        propagate,
      }: RunContext<{ productId: string; preferredWarehouse?: string | undefined }>) {
        const { productId, preferredWarehouse } = input
        const inner = await call<{ available: number }>({
          baseUrl,
          method: 'GET',
          path: '/inventory/{productId}/stock',
          params: { productId },
          query: { warehouse: preferredWarehouse },
        })
        if (inner.type !== 'success') return propagate(inner, { fields: { warehouse: 'preferredWarehouse' } })
        return inner.body.available > 0
          ? created({ productId })
          : forbidden({ code: 'NO_STOCK', message: 'm' })
      },
    })
  }

  it('finish an exchange: the question of the inner one is asked in the words of the outer one', async () => {
    const inner = await startService({ operations: [stock] })
    const outer = await startService({ operations: [recommend(inner.url)] })
    const question = await ask(`${outer.url}/products/p1/recommendations`, { json: {} })
    expect(question.status).toBe(400)
    expect(JSON.parse(question.text)).toEqual({
      type: 'clarification_required',
      code: 'CLARIFICATION_REQUIRED',
      message: 'The operation needs more input: preferredWarehouse.',
      requiredInputs: [
        {
          name: 'preferredWarehouse',
          location: 'body',
          type: 'string',
          required: true,
          question: 'Which warehouse?',
        },
      ],
      trace,
    })
    const answer = await ask(`${outer.url}/products/p1/recommendations`, {
      json: { preferredWarehouse: 'w1' },
    })
    expect([answer.status, JSON.parse(answer.text)]).toEqual([201, { productId: 'p1', trace }])
    expect(inner.audit.map(({ correlation_id, outcome }) => [correlation_id, outcome])).toEqual([
      ['corr-1', 'clarification_required'],
      ['corr-1', 'success'],
    ])
  })

  it('answer with a failed dependency when the inner one is away', async () => {
    const outer = await startService({ operations: [recommend('http://127.0.0.1:9')] })
    const answer = await ask(`${outer.url}/products/p1/recommendations`, { json: {} })
    expect([answer.status, JSON.parse(answer.text)]).toEqual([424, { ...unavailable, trace }])
  })
})
