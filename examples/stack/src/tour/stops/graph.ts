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
  title: 'An agent calls another agent',
  why: 'Agent A needs the stock, which only agent B knows. It calls B through the gateway of B, with its own service account, for the same tenant and with the same correlation id.',
  async run(guide) {
    const { stock } = await expectRecommended(guide, recommend('prd-123'))
    demand(stock?.available === 42, 'the stock has to be the 42 of agent B')
  },
})

/** A question of an inner agent reaches the caller, and its answer the inner agent. */
export const agentQuestion = defineStop({
  title: 'The question of an inner agent reaches the caller, with the input names of the outer agent',
  why: 'B needs a `warehouse`, which is not an input of A. So A asks for its own input `shipFrom`, with the allowed values of B, and forwards the answer.',
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
  title: 'A failed dependency of an inner agent stays a failed dependency',
  why: 'The warehouse system behind B is down. A did not fail, its dependency did: the answer is 424 at every hop, never 500 and never a success.',
  async run(guide) {
    await guide.expect(recommend('prd-offline'), 'failed_dependency', 'WAREHOUSE_UNAVAILABLE')
  },
})

/** An approval of an inner agent. */
export const agentApproval = defineStop({
  title: 'The approval of an inner agent is decided at its gateway, and the request continues',
  why: 'The stock of this product needs an approval at B, and so through A. Location is its address at the gateway of B. The requester behind A cannot decide, with any role. Dave approves, and the request is sent again with the token.',
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
  title: 'A retry has no second effect, even two hops away',
  why: 'B records each stock check. A forwards the key unchanged, so that B recognises a retry too.',
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
  title: 'The inner gateway also serves people, and takes the tenant from their token',
  why: 'An agent names the tenant in a header and is trusted. Carol is not an agent: the gateway of B takes the tenant from her token and refuses a header with another one.',
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
    demand(warehouse === 'wh-austin', `the warehouse must be one of globex, but is ${warehouse}`)
    await guide.expect({ ...stock, tenantId: 'acme' }, 'forbidden', 'TENANT_MISMATCH')
  },
})
