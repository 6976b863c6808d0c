import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, type Outcome, propagate, success } from '../src/index.ts'
import { ask, expectAnswer, trace } from './harness/ask.ts'

const store = sharedStore()
const input = { name: 'sku', location: 'query', type: 'string', required: true, question: 'Which?' } as const

it.each<[string, Outcome, Outcome]>([
  ['success', { type: 'success', body: { a: 1 } }, { type: 'success', body: { a: 1 } }],
  ['created', { type: 'created', body: { a: 1 } }, { type: 'created', body: { a: 1 } }],
  [
    'accepted',
    { type: 'accepted', operationId: 'o', statusUrl: 'http://b/o' },
    { type: 'accepted', operationId: 'o', statusUrl: 'http://b/o' },
  ],
  [
    'failed_dependency',
    { type: 'failed_dependency', code: 'DB_DOWN', message: 'm' },
    { type: 'failed_dependency', code: 'DB_DOWN', message: 'm' },
  ],
  [
    'approval_required',
    { type: 'approval_required', message: 'm', approvalToken: 't', approver: { name: 'Bo' } },
    { type: 'approval_required', message: 'm', approvalToken: 't', approver: { name: 'Bo' } },
  ],
  [
    'forbidden',
    { type: 'forbidden', code: 'F', message: 'm' },
    { type: 'forbidden', code: 'F', message: 'm' },
  ],
  [
    'conflict',
    { type: 'conflict', code: 'C', message: 'm', conflictingResourceId: 'r' },
    { type: 'conflict', code: 'C', message: 'm', conflictingResourceId: 'r' },
  ],
  [
    'clarification_required',
    { type: 'clarification_required', message: 'm', requiredInputs: [input, { ...input, name: 'size' }] },
    {
      type: 'clarification_required',
      message: 'The operation needs more input: productId, size.',
      requiredInputs: [
        { ...input, name: 'productId' },
        { ...input, name: 'size' },
      ],
    },
  ],
  [
    'validation_failed for fields made of own inputs',
    { type: 'validation_failed', message: 'm', errors: [{ field: 'sku', message: 'n' }] },
    { type: 'validation_failed', message: 'm', errors: [{ field: 'productId', message: 'n' }] },
  ],
  [
    'validation_failed for other fields',
    { type: 'validation_failed', message: 'm', errors: [{ field: 'X-Region', message: 'n' }] },
    {
      type: 'failed_dependency',
      code: 'DEPENDENCY_REFUSED',
      message: 'A service that the operation depends on refused what it was sent.',
    },
  ],
  [
    'error',
    { type: 'error', code: 'EXECUTION_TIMEOUT', message: 'm' },
    { type: 'failed_dependency', code: 'EXECUTION_TIMEOUT', message: 'm' },
  ],
  [
    'a condition',
    { type: 'error', code: 'SLOW', message: 'm', condition: 'limit_exceeded', retryAfter: 5 },
    { type: 'failed_dependency', code: 'SLOW', message: 'm' },
  ],
])('%s', (_title, inner, outer) => {
  expect(propagate(inner, { fields: { sku: 'productId' } })).toEqual(outer)
})

it('an inner name that means something to every object is an ordinary name', () => {
  const inner: Outcome = {
    type: 'clarification_required',
    message: 'm',
    requiredInputs: [{ ...input, name: 'constructor' }],
  }
  expect(propagate(inner, { fields: {} })).toMatchObject({ requiredInputs: [{ name: 'constructor' }] })
})

describe('in an operation', () => {
  async function startAsking(name: string, fields: Record<string, string>) {
    const operation = defineOperation({
      id: 'op',
      method: 'POST',
      path: '/things/{thingId}',
      input: z.object({ thingId: z.string(), region: z.string().optional(), size: z.string().optional() }),
      locations: { region: 'header' },
      run: (context) =>
        context.propagate(
          { type: 'clarification_required', message: 'm', requiredInputs: [{ ...input, name }] },
          { fields },
        ),
    })
    return startService({ operations: [operation] })
  }

  it.each([
    ['shop', { shop: 'region' }, 'region', 'header'],
    ['item', { item: 'thingId' }, 'thingId', 'path'],
    ['size', {}, 'size', 'body'],
  ])('a question for %s is placed where the own input is', async (name, fields, ownName, location) => {
    const { url } = await startAsking(name, fields)
    const answer = await ask(`${url}/things/1`, { json: {} })
    expectAnswer(answer, 400, {
      type: 'clarification_required',
      code: 'CLARIFICATION_REQUIRED',
      message: `The operation needs more input: ${ownName}.`,
      requiredInputs: [{ ...input, name: ownName, location }],
    })
  })

  it('a question that the caller cannot answer is a failed dependency', async () => {
    const { url } = await startAsking('internalId', {})
    expectAnswer(await ask(`${url}/things/1`, { json: {} }), 424, {
      type: 'failed_dependency',
      code: 'DEPENDENCY_NEEDS_INPUT',
      message: 'A service that the operation depends on needs an input that the caller cannot supply here.',
    })
  })
})

describe('an approval that an inner agent wants', () => {
  async function startChain(publicUrl?: (inner: string) => string) {
    const restock = defineOperation({
      id: 'restock',
      method: 'POST',
      path: '/restock',
      approval: { role: 'buyer', when: () => ({ message: 'Buy?', approver: { name: 'Purchasing' } }) },
      run: ({ approval }) => success({ boughtBy: approval?.decidedBy }),
    })
    const inner = await startService({ operations: [restock], store })
    const outer = await startService({
      operations: [
        defineOperation({
          id: 'plan',
          method: 'POST',
          path: '/plan',
          async run({ call, propagate: own }) {
            const publicly = publicUrl && { publicUrl: publicUrl(inner.url) }
            // Subjects come from a gateway; there is none in this test.
            const headers = { 'X-Actor-Subject': 'agent-a' }
            return own(
              await call({ baseUrl: inner.url, method: 'POST', path: '/restock', headers, ...publicly }),
            )
          },
        }),
      ],
    })
    const send = (headers: Record<string, string> = {}) =>
      ask(`${outer.url}/plan`, { method: 'POST', headers })
    return { inner, send }
  }

  it('reaches the outermost caller with approver and token, and is redeemed through the chain', async () => {
    const { inner, send } = await startChain((url) => url)
    const gate = await send({ 'x-agentic-via': 'erin%20called%20start' })
    const { approvalToken } = JSON.parse(gate.text)
    expectAnswer(gate, 412, {
      type: 'approval_required',
      code: 'APPROVAL_REQUIRED',
      message: 'Buy?',
      approvalToken,
      approver: { name: 'Purchasing' },
    })
    const location = gate.headers.get('location') ?? ''
    expect(location.startsWith(`${inner.url}/approvals/`)).toBe(true)
    const seen = await ask(location, { headers: { 'x-actor-subject': 'bob', 'x-actor-roles': 'buyer' } })
    expect(JSON.parse(seen.text)).toMatchObject({
      via: ['erin called start', 'alice called plan'],
      correlationId: trace.correlationId,
    })
    await ask(`${location}/approve`, {
      method: 'POST',
      headers: { 'x-actor-subject': 'bob', 'x-actor-roles': 'buyer' },
    })
    const done = await send({ 'x-approval-token': approvalToken })
    expect([done.status, JSON.parse(done.text)]).toEqual([200, { boughtBy: 'bob', trace }])
    expect((await send({ 'x-approval-token': approvalToken })).status).toBe(403)
  })

  it('shows no address of an agent that callers are not said to reach', async () => {
    const { send } = await startChain()
    const gate = await send()
    expect([gate.status, gate.headers.get('location')]).toEqual([412, null])
  })

  it('is given at the public address where that is another', async () => {
    const { send } = await startChain(() => 'https://agents.example/b/')
    expect((await send()).headers.get('location')).toMatch(
      /^https:\/\/agents\.example\/approvals\/[0-9a-f-]{36}$/,
    )
  })
})

it('a token that was for the own gate is not shown to the agents behind it', async () => {
  const tokens: (string | undefined)[] = []
  const fetchInner: typeof fetch = async (_url, init) => {
    tokens.push(new Headers(init?.headers).get('x-approval-token') ?? undefined)
    return Response.json({})
  }
  const gated = defineOperation({
    id: 'gated',
    method: 'POST',
    path: '/gated',
    approval: { role: 'boss', when: () => ({ message: 'm', approver: { name: 'Boss' } }) },
    async run({ call, propagate: own }) {
      return own(await call({ baseUrl: 'http://127.0.0.1:9', method: 'GET', path: '/x' }))
    },
  })
  const { url } = await startService({ operations: [gated], store, fetch: fetchInner })
  const gate = await ask(`${url}/gated`, { method: 'POST' })
  await ask(`${url}${gate.headers.get('location')}/approve`, {
    method: 'POST',
    headers: { 'x-actor-subject': 'bob', 'x-actor-roles': 'boss' },
  })
  const headers = { 'x-approval-token': JSON.parse(gate.text).approvalToken }
  expect((await ask(`${url}/gated`, { method: 'POST', headers })).status).toBe(200)
  expect(tokens).toEqual([undefined])
})

it('a request that passes the own gate and one behind it carries both tokens, in any order', async () => {
  const gate = { role: 'boss', when: () => ({ message: 'm', approver: { name: 'Boss' } }) }
  const stock = defineOperation({
    id: 'stock',
    method: 'POST',
    path: '/stock',
    approval: gate,
    run: () => success({ stocked: true }),
  })
  const inner = await startService({ operations: [stock], store })
  const plan = defineOperation({
    id: 'plan',
    method: 'POST',
    path: '/plan',
    async: true,
    approval: gate,
    async run({ call, propagate: own }) {
      const headers = { 'X-Actor-Subject': 'agent-a' }
      const { url: baseUrl } = inner
      return own(await call({ baseUrl, publicUrl: baseUrl, method: 'POST', path: '/stock', headers }))
    },
  })
  const { url } = await startService({ operations: [plan], store })
  const send = (...tokens: string[]) =>
    ask(`${url}/plan`, {
      method: 'POST',
      headers: { prefer: 'respond-async', 'x-approval-token': tokens.join(', ') || undefined },
    })
  const approve = async (asked: Awaited<ReturnType<typeof ask>>) => {
    expect(asked.status).toBe(412)
    await ask(`${new URL(asked.headers.get('location') ?? '', url).href}/approve`, {
      method: 'POST',
      headers: { 'x-actor-subject': 'bob', 'x-actor-roles': 'boss' },
    })
    return JSON.parse(asked.text).approvalToken as string
  }
  const own = await approve(await send())
  const behind = await approve(
    await ask(`${inner.url}/stock`, { method: 'POST', headers: { 'x-actor-subject': 'agent-a' } }),
  )
  expect((await send(behind)).status).toBe(403)
  expectAnswer(await send(behind, own), 200, { stocked: true })
  expect((await send(own, behind)).status).toBe(403)
})
