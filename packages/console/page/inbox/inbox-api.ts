import {
  type Answered,
  type ClientRequest,
  createClient,
  type Fetch,
  type TokenSource,
  TransportError,
} from '@agentic-rest/client'
import { conditions } from '@agentic-rest/profile'
import type { ApprovalService, ListedState } from '@agentic-rest/profile/approval'
import {
  type Approval,
  type ApprovalPage,
  type ApprovalVerb,
  decisionBody,
  readApproval,
  readApprovalPage,
} from '@agentic-rest/profile/approval'
import { outcomeWords } from '../shell/outcome-family.ts'

/** The gateway, and the token of the person. */
export interface Access {
  readonly baseUrl: string
  readonly token: TokenSource | undefined
  readonly tenant: string
  /** Sends as the person of the session, instead of a token. */
  readonly fetch?: Fetch
}

/** The asked page of a list. */
export interface PageQuery {
  readonly state: ListedState
  readonly cursor: string | undefined
  readonly limit: number
}

/** The approval operations of the services, as ordinary requests through the gateway. */
export interface InboxApi {
  list(access: Access, service: ApprovalService, query: PageQuery): Promise<ApprovalPage>
  /** One approval; undefined if the service does not show it. */
  read(access: Access, service: ApprovalService, approvalId: string): Promise<Approval | undefined>
  act(access: Access, service: ApprovalService, action: Action): Promise<Approval>
}

/** An action, the approval as it was shown, and the comment of a decision. */
export interface Action {
  readonly verb: ApprovalVerb
  readonly approval: Approval
  readonly comment: string
}

// A slow service must not hold the page for a minute.
const ANSWER_MS = 8000

/** A request that the service or the gateway refused. Nothing has changed. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** The requests of the inbox. They throw an `Error` with a message to show, a `RefusedError` after a refusal. */
export const inboxApi: InboxApi = {
  async list(access, { path }, { state, cursor, limit }) {
    const query = { state, cursor, limit }
    const outcome = await send(access, { method: 'GET', path, query })
    if (outcome.type !== 'success') throw new RefusedError(refusalOf(outcome))
    const page = readApprovalPage(outcome.body)
    if (page === undefined) throw new Error('The answer is not a list of approvals.')
    return page
  },
  async read(access, { path }, approvalId) {
    const params = { approvalId }
    const outcome = await send(access, { method: 'GET', path: `${path}/{approvalId}`, params })
    if (outcome.answer.status === conditions.not_found) return undefined
    if (outcome.type !== 'success') throw new RefusedError(refusalOf(outcome))
    return readApproval(outcome.body)
  },
  async act(access, { path }, { verb, approval, comment }) {
    const { approvalId, correlationId } = approval
    const outcome = await send(access, {
      method: 'POST',
      path: `${path}/{approvalId}/${verb}`,
      params: { approvalId },
      // The timeline of the exchange then shows the decision.
      correlationId: correlationId || undefined,
      body: verb === 'withdraw' ? {} : decisionBody(approval, comment),
    })
    if (outcome.type !== 'success') throw new RefusedError(refusalOf(outcome))
    return readApproval(outcome.body)
  },
}

async function send({ baseUrl, token, tenant, fetch }: Access, request: ClientRequest): Promise<Answered> {
  const tenantId = tenant || undefined
  const client = createClient({ baseUrl, token, tenantId, fetch, timeoutMs: ANSWER_MS })
  try {
    return await client.request(request)
  } catch (error) {
    throw error instanceof TransportError ? new Error(explain(error)) : error
  }
}

function explain({ code, message }: TransportError): string {
  if (code === 'TIMEOUT') return `There was no answer within ${ANSWER_MS / 1000} seconds.`
  if (code !== 'NETWORK') return message
  return 'The gateway could not be reached. Either it is not running, or its gateway.cors.origins do not name this page.'
}

function refusalOf(outcome: Answered): string {
  const { status } = outcome.answer
  if (status === conditions.unauthenticated) return 'The token was not accepted. It may have expired.'
  if (outcome.type === 'validation_failed' && outcome.errors[0] !== undefined)
    return `${outcome.errors[0].field}: ${outcome.errors[0].message}`
  return 'message' in outcome ? outcome.message : `${status} ${outcomeWords(outcome.type)}`
}
