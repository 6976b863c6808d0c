import {
  clarificationRequired,
  defineOperation,
  error,
  failedDependency,
  type InputOf,
  type Operation,
  type Principal,
  type RequestContext,
  type RunContext,
  type Store,
  success,
} from '@agentic-rest/service'
import { z } from 'zod'
import { availableAt, type Place, readProduct, type StoredProduct } from './stock.ts'
import { recordCheck } from './stock-checks.ts'

const MAX_LENGTH = 256

// An agent names the person it acts for in these headers. The records of B show the agent as actor (Authentication, 4).
const REQUESTED_FOR = 'X-Requested-For'
const REQUESTED_FOR_ISSUER = 'X-Requested-For-Issuer'

/** Agents that are trusted to name a person; from other callers the headers are ignored. */
const trustedAgents: ReadonlySet<string> = new Set(['recommendations'])

const stockInput = z.object({
  productId: z
    .string()
    .max(MAX_LENGTH)
    .meta({ examples: ['prd-123'] }),
  warehouse: z.string().max(MAX_LENGTH).optional().describe('Which warehouse is to be looked into?'),
  [REQUESTED_FOR]: z.string().max(MAX_LENGTH).optional().describe('The person for whom an agent asks.'),
  [REQUESTED_FOR_ISSUER]: z.string().max(MAX_LENGTH).optional().describe('The issuer that knows the person.'),
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

/** The options of the operation. */
interface StockOptions {
  readonly store: Store
  /** The issuer of agents. Without it an agent is known by its subject alone. */
  readonly agentIssuer?: string | undefined
}

/** `GET /inventory/{productId}/stock`: the available stock of a product in one warehouse. */
export function readStock({ store, agentIssuer }: StockOptions): Operation {
  const requestedFor = personBehind(agentIssuer)
  return defineOperation({
    id: 'read-stock',
    method: 'GET',
    path: '/inventory/{productId}/stock',
    summary: 'Looks up how much of a product is available.',
    input: stockInput,
    locations: { [REQUESTED_FOR]: 'header', [REQUESTED_FOR_ISSUER]: 'header' },
    output: { success: stockBody },
    // Each stock check is recorded, which is an effect. An idempotency key makes a retry the same check.
    idempotent: true,
    // The person behind the agent must not approve. For the runtime the requester is the agent.
    requestedFor,
    approval: {
      role: 'campaign:approve',
      async when({ tenant, input: { productId } }) {
        const product = await readProduct(store, { tenant, productId })
        if (!product?.exportControlled) return false
        const message = `${productId} is under export control: its stock is told after an approval.`
        return { message, approver: { name: 'Export control' } }
      },
    },
    run: (context) => lookUp(store, context, requestedFor(context)),
  })
}

async function lookUp(store: Store, context: StockContext, person: Principal | undefined) {
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
  return check(context, place, person)
}

/** The warehouse of the request; a question or a refusal if it is not clear. */
function choosePlace({ places }: StoredProduct, wanted: string | undefined) {
  const [first] = places
  if (wanted === undefined && places.length === 1 && first !== undefined) return first
  if (wanted === undefined) return askWhich(places, 'The product is in several warehouses.')
  const place = places.find(({ warehouse }) => warehouse === wanted)
  return place ?? askWhich(places, 'The product is not in this warehouse.')
}

/** A warehouse without the product is asked about too: the caller can choose one that has it. */
function askWhich(places: readonly Place[], message: string) {
  return clarificationRequired({
    message,
    requiredInputs: [
      {
        name: 'warehouse',
        location: 'query',
        type: 'string',
        required: true,
        question: `${message} Which one is it to come from?`,
        allowedValues: places.map(({ warehouse }) => warehouse),
      },
    ],
  })
}

/** Records the check and stores the outcome of the key in one transaction. */
function check(context: StockContext, place: Place, person: Principal | undefined) {
  const { tenant, input, subject, trace, idempotencyKey } = context
  return context.commit(async (sql) => {
    const { warehouse, city, onHand, reserved } = place
    const found = { productId: input.productId, warehouse, available: availableAt(place) }
    const checkedAt = new Date().toISOString()
    const checkId = await recordCheck(sql, {
      ...found,
      tenant,
      checkedBy: subject ?? null,
      requestedFor: person?.subject ?? null,
      idempotencyKey: idempotencyKey ?? null,
      correlationId: trace.correlationId,
      checkedAt,
    })
    return success({ ...found, city, onHand, reserved, checkId, checkedAt })
  })
}

type Asked = Pick<RequestContext<InputOf<typeof stockInput>>, 'subject' | 'issuer' | 'input'>

function personBehind(agentIssuer: string | undefined): (asked: Asked) => Principal | undefined {
  return function readPerson({ subject = '', issuer, input }) {
    const isAgent = trustedAgents.has(subject) && (agentIssuer === undefined || agentIssuer === issuer)
    const person = input[REQUESTED_FOR]
    return isAgent && person !== undefined
      ? { subject: person, issuer: input[REQUESTED_FOR_ISSUER] }
      : undefined
  }
}

/** The answer for an unknown product. */
export function noProduct() {
  return error({ code: 'NOT_FOUND', message: 'There is no such product.', condition: 'not_found' })
}
