import { headerKeys, outcomes } from '@agentic-rest/profile'
import { isPageRequest, pageBody, pageHeaders, SESSION_PATH } from '../approvals-page/page.ts'
import { refusal } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { judgeToken } from '../sessions/judge-token.ts'
import { isFromPage, useSession } from '../sessions/sessions.ts'
import { NO_CONTENT, type OwnAnswer, sendOwn } from './own-answer.ts'
import type { Parts } from './parts.ts'
import { respond } from './respond.ts'

const BEARER = /^Bearer +([^ ]+)$/i

/**
 * Answers a browser that opens an approval with the page, and signs it in and out; false for all other requests. A
 * request of a signed-in page gets its token here and goes on: reading and deciding are ordinary requests.
 */
export function answerApprovalsPage(exchange: Exchange, parts: Parts): boolean | Promise<boolean> {
  const { config, people, router } = parts.snapshot
  const { sessions, signIn } = people.main
  if (exchange.headFault !== undefined) return false
  const answer = signIn?.answer(exchange)
  if (answer !== undefined) return sendLater(exchange, answer, parts)
  if (config.gateway.approvals_page === undefined && signIn === undefined) return false
  if (exchange.path === SESSION_PATH && isFromPage(exchange)) return answerSession(exchange, parts)
  if (isPageRequest(exchange) && router.match('GET', exchange.path).route !== undefined) {
    sendOwn(exchange, { status: outcomes.success.status, headers: pageHeaders, body: pageBody })
    return true
  }
  if (exchange.headers['cookie'] === undefined) return false
  const used = useSession(exchange, sessions)
  return used instanceof Promise ? used.then(() => false) : false
}

/** Signs a browser in or out with a token. Requests that the page did not send go to the routes, like without the page. */
async function answerSession(exchange: Exchange, { snapshot, log }: Parts): Promise<boolean> {
  const { method, headers } = exchange
  if (method !== 'POST' && method !== 'DELETE') return false
  const { validator, people } = snapshot
  const { sessions } = people.main
  try {
    if (method === 'DELETE') {
      sendCookie(exchange, (await sessions.end(exchange, 'sign-out')).cookie)
      return true
    }
    const [authorization, token] = BEARER.exec(headers[headerKeys.authorization] ?? '') ?? []
    // Judged here too: only holders of tokens can fill the store.
    const { refused, identity } = await judgeToken(exchange, authorization, validator)
    if (refused !== undefined) respond(exchange, refused)
    else if (token === undefined) respond(exchange, refusal('MISSING_TOKEN'))
    else sendCookie(exchange, await sessions.open(exchange, { token, identity }))
  } catch (error) {
    if (exchange.signal.aborted) return true
    log.warn('a browser could not be signed in or out', { error })
    respond(exchange, refusal('STORE_UNAVAILABLE'))
  }
  return true
}

async function sendLater(exchange: Exchange, answer: Promise<OwnAnswer>, { log }: Parts): Promise<true> {
  try {
    sendOwn(exchange, await answer)
  } catch (error) {
    log.warn('a browser could not be signed in or out', { error })
    respond(exchange, refusal('STORE_UNAVAILABLE'))
  }
  return true
}

function sendCookie(exchange: Exchange, cookie: string): void {
  sendOwn(exchange, { status: NO_CONTENT, headers: { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } })
}
