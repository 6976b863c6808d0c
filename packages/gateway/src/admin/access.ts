import { headerKeys, type Outcome, statusOf } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import type { Plugin } from '../plugin.ts'
import { unlessCancelled } from '../unless-cancelled.ts'
import { type AdminAnswer, faultAnswer } from './answer.ts'
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
}

const SEE_OTHER = 303
const MAX_FORM_BYTES = 65_536

/** Makes the judge of one listener. */
export function createAccess(options: AccessOptions): Access {
  const { role, development, sessions } = options
  return {
    async judge(exchange) {
      if (development) return undefined
      if (role === undefined) return nobody()
      const denied = await judgeToken(exchange, authorizationOf(exchange, sessions), options)
      return denied !== undefined && isNavigation(exchange) ? signInPage(denied) : denied
    },
    async signIn(exchange) {
      if (development) return faultAnswer('NOT_FOUND', 'There is nothing here.')
      if (role === undefined) return nobody()
      if (exchange.method !== 'POST')
        return faultAnswer('METHOD_NOT_ALLOWED', 'A token is posted here.', { Allow: 'POST' })
      const form = await exchange.body.read(MAX_FORM_BYTES)
      if (form === undefined) return faultAnswer('TOO_LARGE', 'The form is too large.')
      const token = (new URLSearchParams(form.toString()).get('token') ?? '').trim()
      const denied = await judgeToken(exchange, `Bearer ${token}`, options)
      if (denied !== undefined) return signInPage(denied)
      return { status: SEE_OTHER, headers: { Location: '/', 'Set-Cookie': sessions.open(token) } }
    },
  }
}

function nobody(): AdminAnswer {
  return faultAnswer('FORBIDDEN', 'Nobody is let in here.')
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
): Promise<AdminAnswer | undefined> {
  // Nothing but the token goes to the plugin, and nothing that it says comes back but who it is.
  const judged: Exchange = { ...exchange, headers: { [headerKeys.authorization]: authorization } }
  const refused = await unlessCancelled(Promise.resolve(validator().request(judged)), exchange.signal)
  if (refused !== undefined) return deniedBy(refused)
  if (judged.identity?.roles.includes(role) === true) return undefined
  return faultAnswer('FORBIDDEN', 'The token does not have the role that is needed here.')
}

/** What is wrong with a token is not told to who cannot show a good one; only whether it is worth another try. */
function deniedBy(refused: Outcome): AdminAnswer {
  if (refused.type === 'failed_dependency')
    return {
      ...faultAnswer('UNAVAILABLE', 'Tokens cannot be checked at the moment.'),
      status: statusOf(refused),
    }
  return faultAnswer('UNAUTHENTICATED', 'A token is needed here.', {
    'WWW-Authenticate': 'Bearer realm="agentic"',
  })
}

function isNavigation({ method, path, headers }: Exchange): boolean {
  if (method !== 'GET' || path.startsWith('/api/')) return false
  return headers['accept']?.includes('text/html') === true
}
