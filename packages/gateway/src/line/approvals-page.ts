import { headerKeys, outcomes } from '@agentic-rest/profile'
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
import { NO_CONTENT, sendOwn } from './own-answer.ts'
import type { Parts } from './parts.ts'
import { respond } from './respond.ts'

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
    sendOwn(exchange, { status: outcomes.success.status, headers: pageHeaders, body: pageBody })
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
  sendOwn(exchange, { status: NO_CONTENT, headers: { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } })
}
