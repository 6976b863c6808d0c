import { headerKeys, headers as headerNames, outcomes, PROFILE_VERSION } from '@agentic-rest/profile'
import { isPageRequest, pageBody, pageHeaders } from '../approvals-page/page.ts'
import {
  endedCookie,
  endSession,
  isBelowApprovals,
  isFromPage,
  type PageSessions,
  SESSION_PATH,
  sessionCookie,
  useSession,
} from '../approvals-page/session.ts'
import { refusal } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Parts } from './parts.ts'
import { respond } from './respond.ts'

const NO_CONTENT = 204
const BEARER = /^Bearer +([^ ]+)$/i

/**
 * Answers a browser that opens an approval with the page, and signs it in and out; false for all other requests. A
 * request of a signed-in page gets its token here and goes on: reading and deciding are ordinary requests.
 */
export function answerApprovalsPage(exchange: Exchange, { snapshot }: Parts): boolean {
  const { pageSessions, router } = snapshot
  if (pageSessions === undefined || !isBelowApprovals(exchange) || exchange.headFault !== undefined)
    return false
  if (exchange.path === SESSION_PATH) return answerSession(exchange, pageSessions)
  if (isPageRequest(exchange) && router.match('GET', exchange.path).route !== undefined) {
    send(exchange, { status: outcomes.success.status, headers: pageHeaders, body: pageBody })
    return true
  }
  useSession(exchange, pageSessions)
  return false
}

/** Signs a browser in or out. Requests that the page did not send go to the routes, like without the page. */
function answerSession(exchange: Exchange, sessions: PageSessions): boolean {
  if (!isFromPage(exchange)) return false
  switch (exchange.method) {
    case 'POST':
      signIn(exchange, sessions)
      return true
    case 'DELETE':
      void endSession(exchange, sessions).then(() => sendCookie(exchange, endedCookie(exchange)))
      return true
    default:
      return false
  }
}

/** The token is not judged here: the first request with it is judged by the token-validator, under all limits. */
function signIn(exchange: Exchange, { seal }: PageSessions): void {
  const [, token] = BEARER.exec(exchange.headers[headerKeys.authorization] ?? '') ?? []
  const sealed = token && seal.seal(token)
  // The page says before that a token is too long; decision 4 has the code.
  if (sealed === undefined)
    respond(exchange, refusal(token === undefined ? 'MISSING_TOKEN' : 'INVALID_TOKEN'))
  else sendCookie(exchange, sessionCookie(exchange, sealed))
}

function sendCookie(exchange: Exchange, cookie: string): void {
  send(exchange, { status: NO_CONTENT, headers: { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } })
}

interface OwnAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

function send({ reply, trace, method }: Exchange, { status, headers, body }: OwnAnswer): void {
  const own = {
    [headerNames.profile]: PROFILE_VERSION,
    [headerNames.correlationId]: trace.correlationId,
    [headerNames.requestId]: trace.requestId,
    ...(body && { 'Content-Length': String(body.length) }),
  }
  reply.head(status, Object.entries({ ...headers, ...own }).flat())
  reply.end(method === 'HEAD' ? undefined : body)
}
