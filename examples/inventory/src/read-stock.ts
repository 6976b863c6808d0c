import {
  clarificationRequired,
  defineOperation,
  error,
  failedDependency,
  type InputOf,
  type Operation,
  type RunContext,
  type Store,
  success,
  validationFailed,
} from '@agentic-rest/service'
import { z } from 'zod'
import { availableAt, type Place, readProduct, type StoredProduct } from './stock.ts'
import { recordCheck } from './stock-checks.ts'

const MAX_LENGTH = 256

// An agent names the person it acts for in this header. The records of B show the agent as actor (Authentication, 4).
const REQUESTED_FOR = 'X-Requested-For'

/** Agents that are trusted to name a person; from other callers the header is ignored. */
const trustedAgents: ReadonlySet<string> = new Set(['recommendations'])

const stockInput = z.object({
  productId: z.string().max(MAX_LENGTH),
  warehouse: z.string().max(MAX_LENGTH).optional().describe('Which warehouse is to be looked into?'),
  [REQUESTED_FOR]: z.string().max(MAX_LENGTH).optional().describe('The person for whom an agent asks.'),
})

/** The result of a stock check. */
const stockBody = z.object({
  productId: z.string(),
  warehouse: z.string(),
  city: z.string(),
  available: z.int(),
  onHand: z.int(),
  reserved: z.int(),
  checkId: z.string(),
  checkedAt: z.string(),
})

type StockContext = RunContext<InputOf<typeof stockInput>>

/** `GET /inventory/{productId}/stock`: the available stock of a product in one warehouse. */
export function readStock(store: Store): Operation {
  return defineOperation({
    id: 'read-stock',
    method: 'GET',
    path: '/inventory/{productId}/stock',
    summary: 'Looks up how much of a product is available.',
    input: stockInput,
    locations: { [REQUESTED_FOR]: 'header' },
    output: { success: stockBody },
    // Each stock check is recorded, which is an effect. An idempotency key makes a retry the same check.
    idempotent: true,
    approval: {
      role: 'campaign:approve',
      async when(context) {
        const { tenant, input } = context
        const { productId } = input
        const product = await readProduct(store, { tenant, productId })
        if (!product?.exportControlled) return false
        const message = `${productId} is under export control: its stock is told after an approval.`
        // The person behind the agent must not approve. For the runtime the requester is the agent.
        return { message, approver: { name: 'Export control' }, requestedFor: personBehind(context) }
      },
    },
    run: (context) => lookUp(store, context),
  })
}

async function lookUp(store: Store, context: StockContext) {
  const { tenant, input } = context
  const product = await readProduct(store, { tenant, productId: input.productId })
  if (product === undefined) return noProduct()
  const place = choosePlace(product, input.warehouse)
  if ('type' in place) return place
  context.audit.set({ attributes: { warehouse: place.warehouse } })
  if (!place.online) {
    const message = `The system of the warehouse in ${place.city} does not answer.`
    return failedDependency({ code: 'WAREHOUSE_UNAVAILABLE', message })
  }
  return check(context, place)
}

/** The warehouse of the request; a question or a refusal if it is not clear. */
function choosePlace({ places }: StoredProduct, wanted: string | undefined) {
  const [first] = places
  if (wanted === undefined && places.length === 1 && first !== undefined) return first
  if (wanted === undefined) return askWhich(places)
  return places.find(({ warehouse }) => warehouse === wanted) ?? notThere(places)
}

function askWhich(places: readonly Place[]) {
  return clarificationRequired({
    message: 'The product is in several warehouses.',
    requiredInputs: [
      {
        name: 'warehouse',
        location: 'query',
        type: 'string',
        required: true,
        question: 'The product is in several warehouses. Which one is it to come from?',
        allowedValues: places.map(({ warehouse }) => warehouse),
      },
    ],
  })
}

function notThere(places: readonly Place[]) {
  const known = places.map(({ warehouse }) => warehouse).join(', ')
  const message = `The product is not in this warehouse; it is in ${known}.`
  return validationFailed({ message, errors: [{ field: 'warehouse', message }] })
}

/** Records the check and stores the outcome of the key in one transaction. */
function check(context: StockContext, place: Place) {
  const { tenant, input, subject, trace, idempotencyKey } = context
  return context.commit(async (sql) => {
    const { warehouse, city, onHand, reserved } = place
    const found = { productId: input.productId, warehouse, available: availableAt(place) }
    const checkedAt = new Date().toISOString()
    const checkId = await recordCheck(sql, {
      ...found,
      tenant,
      checkedBy: subject ?? null,
      requestedFor: personBehind(context) ?? null,
      idempotencyKey: idempotencyKey ?? null,
      correlationId: trace.correlationId,
      checkedAt,
    })
    return success({ ...found, city, onHand, reserved, checkId, checkedAt })
  })
}

function personBehind({ subject = '', input }: Pick<StockContext, 'subject' | 'input'>): string | undefined {
  return trustedAgents.has(subject) ? input[REQUESTED_FOR] : undefined
}

/** The answer for an unknown product. */
export function noProduct() {
  return error({ code: 'NOT_FOUND', message: 'There is no such product.', condition: 'not_found' })
}
