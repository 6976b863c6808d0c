import { headerKeys, outcomes } from '@agentic-rest/profile'
import { pageBodies, pageHeaders, pageOf, SESSION_PATH } from '../approvals-page/page.ts'
import { refusal } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import { displayName, judgeToken } from '../sessions/judge-token.ts'
import { isFromPage, useSession } from '../sessions/sessions.ts'
import { NO_CONTENT, type OwnAnswer, sendJson, sendOwn } from './own-answer.ts'
import type { Parts } from './parts.ts'
import { respond } from './respond.ts'

const SESSION_METHODS = ['GET', 'POST', 'DELETE']
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
  const page = pageOf(exchange, signIn !== undefined)
  if (page === 'inbox' || (page !== undefined && router.match('GET', exchange.path).route !== undefined)) {
    const body = signIn === undefined ? pageBodies.withToken : pageBodies.withSignIn
    sendOwn(exchange, { status: outcomes.success.status, headers: pageHeaders, body })
    return true
  }
  if (exchange.headers['cookie'] === undefined) return false
  const used = useSession(exchange, sessions)
  return used instanceof Promise ? used.then(() => false) : false
}

/** Signs a browser in or out with a token. Requests that the page did not send go to the routes, like without the page. */
async function answerSession(exchange: Exchange, { snapshot, log }: Parts): Promise<boolean> {
  const { method, headers } = exchange
  if (!SESSION_METHODS.includes(method)) return false
  const { validator, people } = snapshot
  const { sessions } = people.main
  try {
    if (method === 'GET') {
      await answerReader(exchange, snapshot)
      return true
    }
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

/** Tells the page who is signed in, and which services have lists of approvals. */
async function answerReader(exchange: Exchange, { people, validator, config }: Snapshot): Promise<void> {
  const session = await people.main.sessions.find(exchange)
  const authorization = session === undefined ? undefined : `Bearer ${session.token}`
  const { refused, identity } = await judgeToken(exchange, authorization, validator)
  if (refused !== undefined) return respond(exchange, refused)
  const { subject, issuer } = identity ?? {}
  // Loaded here: only this page needs it.
  const { findServices } = await import('@agentic-rest/profile/approval')
  const services = findServices(config.routes).map(({ routeId, path }) => ({ routeId, path }))
  sendJson(exchange, { subject, issuer, name: identity === undefined ? '' : displayName(identity), services })
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
