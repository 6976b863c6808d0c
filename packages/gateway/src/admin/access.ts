import { headerKeys, type Outcome, statusOf } from '@agentic-rest/profile'
import { type Exchange, unlessCancelled } from '../exchange.ts'
import type { Plugin } from '../plugin.ts'
import { type AdminAnswer, faultAnswer } from './answer.ts'
import { isPagePath } from './own-host.ts'
import type { Sessions } from './sessions.ts'
import { signInPage } from './sign-in-page.ts'

/** Who is let in. */
export interface AccessOptions {
  /** The role that opens the listener; without one it stays shut. */
  readonly role: string | undefined
  /** Anyone on this machine is let in. */
  readonly development: boolean
  /** The gateway's own token-validator, that of the configuration in use. */
  readonly validator: () => Plugin
  readonly sessions: Sessions
}

/** Judges who asks. */
export interface Access {
  /** Why a request is refused, or nothing. */
  judge(exchange: Exchange): Promise<AdminAnswer | undefined>
  /** Signs a browser in with the token of a form. */
  signIn(exchange: Exchange): Promise<AdminAnswer>
  /** Ends the session of a browser, whether it has one or not. */
  signOut(exchange: Exchange): AdminAnswer
}

/** A refusal, and what is told of it to somebody who has put in a token. */
interface Denial {
  readonly answer: AdminAnswer
  readonly told: string
}

const SEE_OTHER = 303
const NO_CONTENT = 204
const MAX_FORM_BYTES = 65_536

/** Makes the judge of one listener. */
export function createAccess(options: AccessOptions): Access {
  const { sessions } = options
  return {
    async judge(exchange) {
      if (options.development) return undefined
      if (options.role === undefined) return nobody()
      const denied = await judgeToken(exchange, authorizationOf(exchange, sessions), options)
      if (denied === undefined) return undefined
      return isNavigation(exchange) ? signInPage(denied.answer) : denied.answer
    },
    async signIn(exchange) {
      const unavailable = sessionsUnavailable(options)
      if (unavailable !== undefined) return unavailable
      const form = await exchange.body.read(MAX_FORM_BYTES)
      if (form === undefined) return faultAnswer('TOO_LARGE', 'The form is too large.')
      const token = (new URLSearchParams(form.toString()).get('token') ?? '').trim()
      const denied = await judgeToken(exchange, `Bearer ${token}`, options)
      if (denied !== undefined) return signInPage(denied.answer, denied.told)
      const cookie = sessions.open(token, isReachedByHttps(exchange))
      return { status: SEE_OTHER, headers: { Location: '/', 'Set-Cookie': cookie } }
    },
    signOut({ headers }) {
      const unavailable = sessionsUnavailable(options)
      if (unavailable !== undefined) return unavailable
      return { status: NO_CONTENT, headers: { 'Set-Cookie': sessions.close(headers['cookie']) } }
    },
  }
}

function nobody(): AdminAnswer {
  return faultAnswer('FORBIDDEN', 'Nobody is let in here.')
}

function sessionsUnavailable({ role, development }: AccessOptions): AdminAnswer | undefined {
  if (development) return faultAnswer('NOT_FOUND', 'There is nothing here.')
  return role === undefined ? nobody() : undefined
}

/**
 * The listener speaks plain HTTP, so only the browser and the proxy know. Either may be believed: who lies about it
 * gets a cookie that his own browser does not send.
 */
function isReachedByHttps({ headers }: Exchange): boolean {
  const [proto = ''] = (headers['x-forwarded-proto'] ?? '').split(',')
  return headers['origin']?.startsWith('https://') === true || proto.trim().toLowerCase() === 'https'
}

function authorizationOf({ headers }: Exchange, sessions: Sessions): string | undefined {
  const sent = headers[headerKeys.authorization]
  if (sent !== undefined) return sent
  const token = sessions.tokenOf(headers['cookie'])
  return token === undefined ? undefined : `Bearer ${token}`
}

async function judgeToken(
  exchange: Exchange,
  authorization: string | undefined,
  { role = '', validator }: AccessOptions,
): Promise<Denial | undefined> {
  // Nothing but the token goes to the plugin, and nothing that it says comes back but who it is.
  const judged: Exchange = { ...exchange, headers: { [headerKeys.authorization]: authorization } }
  const refused = await unlessCancelled(Promise.resolve(validator().request(judged)), exchange.signal)
  if (refused !== undefined) return deniedBy(refused)
  if (judged.identity?.roles.includes(role) === true) return undefined
  const told = 'The token does not have the role that is needed here.'
  return { told, answer: faultAnswer('FORBIDDEN', told) }
}

/** What is wrong with a token is not told to who cannot show a good one; only whether it is worth another try. */
function deniedBy(refused: Outcome): Denial {
  if (refused.type === 'failed_dependency') {
    const told = 'Tokens cannot be checked at the moment.'
    return { told, answer: { ...faultAnswer('UNAVAILABLE', told), status: statusOf(refused) } }
  }
  const challenge = { 'WWW-Authenticate': 'Bearer realm="agentic"' }
  return {
    told: 'The token was not accepted.',
    answer: faultAnswer('UNAUTHENTICATED', 'A token is needed here.', challenge),
  }
}

function isNavigation({ method, path, headers }: Exchange): boolean {
  if (method !== 'GET' || !isPagePath(path)) return false
  return headers['accept']?.includes('text/html') === true
}
