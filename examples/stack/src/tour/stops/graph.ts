import type { Guide } from '../guide.ts'
import { defineStop, demand } from '../guide.ts'
import type { Question } from '../paper.ts'

/** The fields of agent A's answer that the stops read. */
interface Recommended {
  readonly id?: string
  readonly stock?: { readonly warehouse?: string; readonly available?: number }
  readonly recommendations?: readonly object[]
}

function recommend(productId: string, more: Partial<Question> = {}): Question {
  const path = '/products/{productId}/recommendations'
  return { method: 'POST', path, params: { productId }, as: 'alice', body: {}, ...more }
}

async function expectRecommended(guide: Guide, question: Question): Promise<Recommended> {
  const answer = await guide.expect(question, 'created')
  const body = answer.body as Recommended
  demand((body.recommendations?.length ?? 0) > 0, 'something has to be recommended')
  return body
}

/** One agent asks another. */
export const agents = defineStop({
  title: 'An agent asks another agent',
  why: 'Agent A recommends by what is in stock, which only agent B knows. It asks through the gateway of B, with an account of its own, for the same tenant and under the same correlation id.',
  async run(guide) {
    const { stock } = await expectRecommended(guide, recommend('prd-123'))
    demand(stock?.available === 42, 'the stock has to be the 42 of agent B')
  },
})

/** A question of an inner agent reaches the caller, and its answer the inner agent. */
export const agentQuestion = defineStop({
  title: 'The question of an inner agent reaches the caller, in words that the caller knows',
  why: 'B needs a `warehouse`. The caller of A has never heard of that: A asks for its own `shipFrom`, with the values that B allows, and hands the answer on.',
  async run(guide) {
    const asked = await guide.expect(recommend('prd-multi'), 'clarification_required')
    const [input] = asked.requiredInputs
    demand(input.name === 'shipFrom', `A has to ask for shipFrom, and asks for ${input.name}`)
    const shipFrom = input.allowedValues?.at(-1)
    const body = await expectRecommended(guide, recommend('prd-multi', { body: { shipFrom } }))
    demand(body.stock?.warehouse === shipFrom, `the stock has to be that of ${shipFrom}`)
  },
})

/** A failed dependency of an inner agent stays one. */
export const agentFailure = defineStop({
  title: 'A failure behind an agent is neither hidden nor blamed on it',
  why: 'The warehouse system behind B is down. A did not fail, something that it depends on did: 424 all the way, never 500 and never a success.',
  async run(guide) {
    await guide.expect(recommend('prd-offline'), 'failed_dependency', 'WAREHOUSE_UNAVAILABLE')
  },
})

/** An approval of an inner agent. */
export const agentApproval = defineStop({
  title: 'The approval of an inner agent is given at its own gateway, and the request goes on',
  why: 'B may not tell the stock of this product without an approval, so A may not either. Location says where it is decided: at the gateway of B. Whoever asked through A cannot decide, whatever the roles; dave does, and the request is sent again with the token.',
  async run(guide) {
    // A new user has no earlier request, so there is no approval of this request yet.
    const as = await guide.newcomer({ tenant: 'acme', roles: 'campaign:approve' })
    const asked = await guide.expect(recommend('prd-export', { as }), 'approval_required')
    demand(asked.approver?.name === 'Export control', 'the approver has to be the one of agent B')
    const { approvalToken } = asked
    const approvalId = URL.parse(asked.answer.headers.get('location') ?? '')
      ?.pathname.split('/')
      .at(-1)
    demand(approvalId !== undefined, 'the answer has to say where the approval is')
    const decision = {
      method: 'POST',
      path: '/approvals/{approvalId}/approve',
      params: { approvalId },
      at: 'inventory-gateway',
    } as const
    await guide.expect({ ...decision, as }, 'forbidden', 'APPROVAL_OWN_REQUEST')
    await guide.expect({ ...decision, as: 'dave' }, 'success')
    await expectRecommended(guide, recommend('prd-export', { as, approvalToken }))
  },
})

/** A retry has no second effect, even two hops away. */
export const retriedAgents = defineStop({
  title: 'A retry is no second request, not even two hops away',
  why: 'B records each look into a warehouse. The key goes through A unchanged, so that B would know a retry even if A did not.',
  async run(guide) {
    const idempotencyKey = `tour-${crypto.randomUUID()}`
    const first = await expectRecommended(guide, recommend('prd-124', { idempotencyKey }))
    const again = await expectRecommended(guide, recommend('prd-124', { idempotencyKey }))
    demand(first.id === again.id, 'the answer has to be the kept one')
    const checks = { method: 'GET', path: '/inventory/{productId}/stock-checks', query: { limit: 5 } }
    const list = await guide.expect(
      { ...checks, params: { productId: 'prd-124' }, as: 'alice', at: 'inventory-gateway' },
      'success',
    )
    const { items = [] } = list.body as { items?: { idempotencyKey?: string }[] }
    const looks = items.filter((check) => check.idempotencyKey === idempotencyKey).length
    demand(looks === 1, `there has to be one look with the key, and there are ${looks}`)
  },
})

/** The gateway of agent B serves people too. */
export const directCaller = defineStop({
  title: 'The inner gateway serves people too, and finds their tenant itself',
  why: 'An agent says for which tenant it asks, and is believed. Carol is no agent: the gateway of B takes the tenant from her token, and a header that says otherwise is refused.',
  async run(guide) {
    const stock = {
      method: 'GET',
      path: '/inventory/{productId}/stock',
      params: { productId: 'prd-123' },
      as: 'carol',
      at: 'inventory-gateway',
    } as const
    const { body } = await guide.expect(stock, 'success')
    const { warehouse } = body as { warehouse?: string }
    demand(warehouse === 'wh-austin', `the warehouse has to be one of globex, and is ${warehouse}`)
    await guide.expect({ ...stock, tenantId: 'acme' }, 'forbidden', 'TENANT_MISMATCH')
  },
})
