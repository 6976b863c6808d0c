import { createCallTracker } from '@agentic-rest/service/testing'
import { startServer } from '@agentic-rest/testing/start-server'
import { memoryLog } from '@agentic-rest/testing/start-service'
import { answerTyped, type ReceivedRequest, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createInventory } from '../../examples/inventory/src/inventory.ts'
import { prepareTables as prepareInventory } from '../../examples/inventory/src/tables.ts'
import { createRecommendations } from '../../examples/recommendations/src/recommendations.ts'
import { prepareTables } from '../../examples/recommendations/src/tables.ts'
import { type Asking, ask, expectAnswer, expectQuestion } from '../../packages/service/test/harness/ask.ts'
import { preparedStore } from './prepared-store.ts'

// One database for both agents, which share no tables: opening one takes seconds on a busy machine.
const store = preparedStore(prepareTables, prepareInventory)

/** Agent A with the address of agent B. It must pass on all answers of B. */
async function startAgent(inventoryUrl: string) {
  const callObserver = createCallTracker()
  const { log } = memoryLog()
  const identity = { authorization: async () => 'Bearer account-of-the-agent' }
  const service = createRecommendations({ store, inventoryUrl, callObserver, log, identity })
  const { url } = await startServer(service.listener)
  onTestFinished(async () => {
    await service.close()
    callObserver.assertNothingSwallowed()
  })
  return {
    recommend: (productId: string, json: unknown = {}, asking: Asking = {}) =>
      ask(`${url}/products/${productId}/recommendations`, { json, ...asking }),
    suit: (customerId: string, json: unknown = {}, asking: Asking = {}) =>
      ask(`${url}/recommendations/${customerId}`, { json, ...asking }),
  }
}

/** The headers of B's gateway after it has validated the account. */
async function startBoth() {
  const inventory = createInventory({ store })
  onTestFinished(() => inventory.close())
  const { url: inventoryUrl } = await startServer((request, response) => {
    request.headers['x-actor-subject'] = 'recommendations'
    request.rawHeaders.push('X-Actor-Subject', 'recommendations')
    inventory.listener(request, response)
  })
  const checks = async (productId: string): Promise<Record<string, unknown>[]> =>
    JSON.parse((await ask(`${inventoryUrl}/inventory/${productId}/stock-checks`)).text).items
  return { ...(await startAgent(inventoryUrl)), inventoryUrl, checks }
}

const memoryCard = { productId: 'prd-126', name: 'Memory card', priceCents: 2400, reason: 'bought_together' }

describe('with agent B', () => {
  test('recommendations come from purchases, and the stock from agent B', async () => {
    const { recommend } = await startBoth()
    const answer = await recommend('prd-123', { limit: 2 })
    const { id, createdAt, stock } = JSON.parse(answer.text)
    expectAnswer(answer, 201, {
      id,
      productId: 'prd-123',
      shipFrom: 'wh-berlin',
      stock: { warehouse: 'wh-berlin', available: 42, checkId: stock.checkId },
      recommendations: [
        { ...memoryCard, score: 0.671 },
        {
          productId: 'prd-128',
          name: 'Rain cover',
          priceCents: 1900,
          reason: 'bought_together',
          score: 0.577,
        },
      ],
      createdAt,
    })
  })

  test('sold-out products are replaced by similar ones', async () => {
    const { recommend } = await startBoth()
    expect(JSON.parse((await recommend('prd-125')).text)).toMatchObject({
      stock: { available: 0 },
      recommendations: [
        { productId: 'prd-123', reason: 'same_category' },
        { productId: 'prd-124', reason: 'same_category' },
        { productId: 'prd-export', reason: 'same_category' },
      ],
    })
  })

  test('the question of B is asked in the own words, and the answer reaches B and the result', async () => {
    const { recommend, checks } = await startBoth()
    const keyed = { headers: { 'idempotency-key': 'multi-1' } }
    expectQuestion(await recommend('prd-multi', {}, keyed), [
      {
        name: 'shipFrom',
        location: 'body',
        type: 'string',
        required: true,
        question: 'The product is in several warehouses. Which one is it to come from?',
        allowedValues: ['wh-berlin', 'wh-rotterdam'],
      } as { name: string },
    ])
    const answer = await recommend('prd-multi', { shipFrom: 'wh-rotterdam' }, keyed)
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      201,
      { shipFrom: 'wh-rotterdam', stock: { warehouse: 'wh-rotterdam', available: 105 } },
    ])
    expect(await checks('prd-multi')).toMatchObject([
      { warehouse: 'wh-rotterdam', requestedFor: 'alice', idempotencyKey: 'multi-1' },
    ])
    expectQuestion(await recommend('prd-multi', { shipFrom: 'wh-turin' }), [
      {
        name: 'shipFrom',
        location: 'body',
        type: 'string',
        required: true,
        question: 'The product is not in this warehouse. Which one is it to come from?',
        allowedValues: ['wh-berlin', 'wh-rotterdam'],
      } as { name: string },
    ])
  })

  test('a failed dependency of B is one of A', async () => {
    const { recommend } = await startBoth()
    expectAnswer(await recommend('prd-offline'), 424, {
      type: 'failed_dependency',
      code: 'WAREHOUSE_UNAVAILABLE',
      message: 'The system of the warehouse in Turin does not answer.',
    })
  })

  test('an approval of B has its approver and its address, and its token finishes the request of A', async () => {
    const { recommend, inventoryUrl } = await startBoth()
    const keyed = { 'idempotency-key': 'export-1' }
    const asked = await recommend('prd-export', {}, { headers: keyed })
    const { approvalToken } = JSON.parse(asked.text)
    expectAnswer(asked, 412, {
      type: 'approval_required',
      code: 'APPROVAL_REQUIRED',
      message: 'prd-export is under export control: its stock is told after an approval.',
      approvalToken,
      approver: { name: 'Export control' },
    })
    const location = asked.headers.get('location') ?? ''
    expect(location).toMatch(new RegExp(`^${inventoryUrl}/approvals/[\\w-]+$`))
    const resent = { headers: { ...keyed, 'x-approval-token': approvalToken } }
    expect((await recommend('prd-export', {}, resent)).status).toBe(412)
    await store.query(`UPDATE agentic_approvals SET state = 'approved', decided_by = 'dave'`)
    const done = await recommend('prd-export', {}, resent)
    expect([done.status, JSON.parse(done.text)]).toMatchObject([201, { stock: { available: 5 } }])
  })

  test('a retry with the same key has the same answer and no other look', async () => {
    const { recommend, checks } = await startBoth()
    const keyed = { headers: { 'idempotency-key': 'retry-1' } }
    const first = await recommend('prd-124', {}, keyed)
    const again = await recommend('prd-124', {}, keyed)
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ])
    expect(await checks('prd-124')).toMatchObject([{ idempotencyKey: 'retry-1' }])
  })

  test('when A has forgotten a request, B has not: the same key is still one look', async () => {
    const { recommend, checks } = await startBoth()
    const keyed = { headers: { 'idempotency-key': 'forgotten-1' } }
    const first = JSON.parse((await recommend('prd-127', {}, keyed)).text)
    await store.query("DELETE FROM agentic_idempotency WHERE operation = 'create-recommendations'")
    const again = JSON.parse((await recommend('prd-127', {}, keyed)).text)
    expect(again.id).not.toBe(first.id)
    expect(again.stock).toEqual(first.stock)
    expect(await checks('prd-127')).toHaveLength(1)
  })

  test('a known customer gets recommendations by purchases, a new one bestsellers, others nothing', async () => {
    const { suit } = await startBoth()
    const answer = await suit('cus-5', { limit: 1 })
    const { id, createdAt } = JSON.parse(answer.text)
    expectAnswer(answer, 201, {
      id,
      customerId: 'cus-5',
      recommendations: [{ ...memoryCard, score: 0.367 }],
      createdAt,
    })
    expect(JSON.parse((await suit('cus-new')).text)).toMatchObject({
      recommendations: [{ productId: 'prd-126', reason: 'popular' }, {}, {}],
    })
    const notFound = { type: 'error', code: 'NOT_FOUND', message: 'There is no such customer.' }
    expectAnswer(await suit('cus-none'), 404, notFound)
    expectAnswer(await suit('cus-5', {}, { headers: { 'x-tenant-id': 'globex' } }), 404, notFound)
  })

  test('a product of another tenant is unknown', async () => {
    const { recommend } = await startBoth()
    for (const productId of ['prd-501', 'prd-none', 'constructor'])
      expectAnswer(await recommend(productId), 404, {
        type: 'error',
        code: 'NOT_FOUND',
        message: 'There is no such product.',
      })
  })
})

describe('with anybody in the place of agent B', () => {
  test('the call carries tenant, correlation id and key unchanged, its own account and the person behind it', async () => {
    const inner = await startUpstream((request, response) => answerTyped(request, response, answers.success))
    const { recommend } = await startAgent(inner.url)
    const headers = {
      authorization: 'Bearer of-the-caller',
      'idempotency-key': 'call-1',
      'x-approval-token': 'token-1',
    }
    expect((await recommend('prd-123', { shipFrom: 'x y' }, { headers })).status).toBe(201)
    expect(inner.requests).toMatchObject([
      {
        method: 'GET',
        url: '/inventory/prd-123/stock?warehouse=x+y',
        headers: {
          authorization: 'Bearer account-of-the-agent',
          'x-tenant-id': 'acme',
          'x-correlation-id': 'corr-1',
          'idempotency-key': 'call-1',
          'x-approval-token': 'token-1',
          'x-requested-for': 'alice',
        },
      },
    ])
    expect(inner.requests[0]?.headers['x-request-id']).not.toBe('req-1')
  })

  const error = 'application/vnd.agentic.error+json'
  const failed = (code: string) => ({ type: 'failed_dependency', code, message: 'm' })
  const answers = {
    success: [200, 'application/json', { warehouse: 'w', available: 1, checkId: 'c' }],
  } satisfies Record<string, [number, string, object]>

  test.each<[string, [number, string, object], number, object]>([
    [
      'a refusal',
      [403, error, { type: 'forbidden', code: 'LICENSE_REQUIRED', message: 'm' }],
      403,
      { code: 'LICENSE_REQUIRED' },
    ],
    ['an error', [500, error, { type: 'error', code: 'BROKEN', message: 'm' }], 424, failed('BROKEN')],
    [
      'an unknown product',
      [404, error, { type: 'error', code: 'NOT_FOUND', message: 'm' }],
      424,
      failed('NOT_FOUND'),
    ],
    ['a failed dependency', [424, error, failed('DOWN')], 424, failed('DOWN')],
    [
      'a refused token',
      [401, error, { type: 'error', code: 'INVALID_TOKEN', message: 'm' }],
      424,
      failed('INVALID_TOKEN'),
    ],
    [
      'a success without the stock',
      [200, 'application/json', { available: 'many' }],
      424,
      { code: 'INVENTORY_INVALID_RESPONSE' },
    ],
    ['another status', [418, 'text/plain', {}], 424, { code: 'DEPENDENCY_INVALID_RESPONSE' }],
  ])('%s of B is never a success of A', async (_, answer, status, body) => {
    const inner = await startUpstream((request: ReceivedRequest, response) =>
      answerTyped(request, response, answer),
    )
    const { recommend } = await startAgent(inner.url)
    const outer = await recommend('prd-123')
    expect([outer.status, JSON.parse(outer.text)]).toMatchObject([status, body])
  })

  test('an unreachable agent is a failed dependency', async () => {
    const { recommend } = await startAgent('http://127.0.0.1:9')
    expectAnswer(await recommend('prd-123'), 424, {
      type: 'failed_dependency',
      code: 'DEPENDENCY_UNAVAILABLE',
      message: 'A service that the operation depends on does not answer.',
    })
  })
})
