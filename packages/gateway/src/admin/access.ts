import { hash } from 'node:crypto'
import { headerKeys, headers as headerNames, type Outcome, statusOf } from '@agentic-rest/profile'
import type { Exchange, Identity } from '../exchange.ts'
import type { PipelinePlugin } from '../plugin.ts'
import { judgeToken } from '../sessions/judge-token.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type AdminAnswer, faultAnswer } from './answer.ts'
import { isPagePath } from './foreign-sites.ts'
import type { Reader } from './hide-secrets.ts'

/** A role that opens the listener. */
export interface Grant {
  readonly role: string
  /** The issuers whose tokens count; `undefined` means all. */
  readonly issuers?: readonly string[] | undefined
}

/** Who may read, and who may also act. */
export interface Grants {
  readonly viewer?: Grant | undefined
  readonly operator?: Grant | undefined
}

/** What access to the admin listener depends on. */
export interface AccessOptions {
  /** Without a grant every request is refused. */
  readonly grants: Grants
  /** Allows every request, from this machine only. */
  readonly development: boolean
  /** The token-validator of the configuration in use. */
  readonly validator: () => PipelinePlugin
  /** The sessions of this listener, of the configuration in use. */
  readonly sessions: () => Sessions
}

/** Decides on access to the admin listener, by a token in the request or by a browser session. */
export interface Access {
  /** The refusal of a request, or nothing; then the exchange has the identity of its token. */
  judge(exchange: Exchange): Promise<AdminAnswer | undefined>
  /** Whether a request that was let in is one of an operator; in development everybody is. */
  readerOf(exchange: Exchange): Reader
  /** Signs a browser in with the token of a form. */
  signIn(exchange: Exchange): Promise<AdminAnswer>
  /** Ends the session of a browser, if it has one. */
  signOut(exchange: Exchange): Promise<AdminAnswer>
}

/** A refusal and the message that the sign-in form shows. */
interface Denial {
  readonly answer: AdminAnswer
  readonly message: string
}

const SEE_OTHER = 303
const NO_CONTENT = 204
const MAX_FORM_BYTES = 65_536

/** Makes the access control of one listener. */
export function createAccess(options: AccessOptions): Access {
  return {
    async judge(exchange) {
      if (options.development) return undefined
      if (!isOpen(options)) return refuseAll()
      const granting = grantsFor(exchange, options.grants)
      const authorization = await authorizationOf(exchange, options.sessions())
      const denied = await judge(exchange, authorization, { ...options, granting })
      if (denied === undefined) return undefined
      return isNavigation(exchange) ? signInPage(denied.answer, options.grants) : denied.answer
    },
    readerOf({ identity }) {
      const { operator } = options.grants
      const isOperator = operator !== undefined && isGranted(operator, identity)
      return options.development || isOperator ? 'operator' : 'viewer'
    },
    async signIn(exchange) {
      const unavailable = sessionsUnavailable(options)
      if (unavailable !== undefined) return unavailable
      const form = await exchange.body.read(MAX_FORM_BYTES)
      if (form === undefined) return faultAnswer('TOO_LARGE', 'The form is too large.')
      const token = (new URLSearchParams(form.toString()).get('token') ?? '').trim()
      const { viewer, operator } = options.grants
      const denied = await judge(exchange, `Bearer ${token}`, {
        ...options,
        granting: [viewer, operator],
      })
      if (denied !== undefined) return signInPage(denied.answer, options.grants, denied.message)
      const cookie = await options.sessions().open(exchange, { token })
      return { status: SEE_OTHER, headers: { Location: '/', 'Set-Cookie': cookie } }
    },
    async signOut(exchange) {
      const unavailable = sessionsUnavailable(options)
      if (unavailable !== undefined) return unavailable
      const { cookie } = await options.sessions().end(exchange)
      return { status: NO_CONTENT, headers: { 'Set-Cookie': cookie } }
    },
  }
}

function refuseAll(): AdminAnswer {
  return faultAnswer('FORBIDDEN', 'Nobody is let in here.')
}

function sessionsUnavailable(options: AccessOptions): AdminAnswer | undefined {
  if (options.development) return faultAnswer('NOT_FOUND', 'There is nothing here.')
  return isOpen(options) ? undefined : refuseAll()
}

function isOpen({ grants: { viewer, operator } }: AccessOptions): boolean {
  return (viewer ?? operator) !== undefined
}

/** The grants that allow a request: everything but reading is for operators. */
function grantsFor({ method }: Exchange, { viewer, operator }: Grants): readonly (Grant | undefined)[] {
  return method === 'GET' || method === 'HEAD' ? [viewer, operator] : [operator]
}

async function authorizationOf(exchange: Exchange, sessions: Sessions): Promise<string | undefined> {
  const sent = exchange.headers[headerKeys.authorization]
  if (sent !== undefined) return sent
  const session = await sessions.find(exchange)
  return session === undefined ? undefined : `Bearer ${session.token}`
}

interface JudgeOptions extends Pick<AccessOptions, 'validator'> {
  /** One of these is needed. */
  readonly granting: readonly (Grant | undefined)[]
}

/** A role counts only in a token of a listed issuer: any issuer may use the same word for another role. */
function isGranted({ role, issuers }: Grant, identity: Identity | undefined): boolean {
  if (identity === undefined || !identity.roles.includes(role)) return false
  return issuers === undefined || issuers.includes(identity.issuer)
}

async function judge(
  exchange: Exchange,
  authorization: string | undefined,
  { granting, validator }: JudgeOptions,
): Promise<Denial | undefined> {
  const { refused, identity } = await judgeToken(exchange, authorization, validator())
  if (refused !== undefined) return deniedBy(refused)
  if (granting.some((grant) => grant !== undefined && isGranted(grant, identity))) {
    exchange.identity = identity
    return undefined
  }
  const message = 'The token does not have the role that is needed here.'
  return { message, answer: faultAnswer('FORBIDDEN', message) }
}

/** Says whether another attempt may help. The fault of the token stays secret from clients without a valid one. */
function deniedBy(refused: Outcome): Denial {
  if (refused.type === 'failed_dependency') {
    const message = 'Tokens cannot be checked at the moment.'
    return { message, answer: { ...faultAnswer('UNAVAILABLE', message), status: statusOf(refused) } }
  }
  const challenge = { 'WWW-Authenticate': 'Bearer realm="agentic"' }
  return {
    message: 'The token was not accepted.',
    answer: faultAnswer('UNAUTHENTICATED', 'A token is needed here.', challenge),
  }
}

function isNavigation({ method, path, headers }: Exchange): boolean {
  if (method !== 'GET' || !isPagePath(path)) return false
  return headers['accept']?.includes('text/html') === true
}

// Browsers do not send the fragment after #. The script adds it to the form's address, and the redirect keeps it.
const SCRIPT = 'document.forms[0].action += location.hash'

const SIGN_IN_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Turns a refusal into a page with a field for a token, for browsers. */
function signInPage({ status, headers = {} }: AdminAnswer, grants: Grants, message?: string): AdminAnswer {
  const own = {
    [headerNames.contentType]: 'text/html; charset=utf-8',
    'Content-Security-Policy': SIGN_IN_POLICY,
    // With `no-referrer` a browser sends its form with `Origin: null`, which looks like a foreign page.
    'Referrer-Policy': 'same-origin',
  }
  return { status, headers: { ...headers, ...own }, body: Buffer.from(signInHtml(grants, message)) }
}

/** Says which role is needed: without it people cannot know which token to get. */
function neededRole({ viewer, operator }: Grants): string {
  const role = (grant: Grant) => `<code>${escapeHtml(grant.role)}</code>`
  if (viewer === undefined) return operator === undefined ? '' : `The token needs the role ${role(operator)}.`
  const reading = `To read, the token needs the role ${role(viewer)}`
  return operator === undefined ? `${reading}.` : `${reading}; to act as well, ${role(operator)}.`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}

/** Contains nothing about the gateway but the roles, because its readers have not signed in. */
function signInHtml(grants: Grants, message: string | undefined): string {
  const [notice, invalid] =
    message === undefined
      ? ['', 'aria-describedby="needed"']
      : [`<p id="told" role="alert">${message}</p>\n`, 'aria-invalid="true" aria-describedby="told needed"']
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  color: light-dark(#1b1d20, #e6e8ea); background: light-dark(#f7f7f5, #101214) }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box }
main { width: min(26rem, calc(100vw - 2rem)); padding: 1.5rem; box-sizing: border-box; border-radius: 8px;
  border: 1px solid light-dark(#e3e3de, #2a2f34); background: light-dark(#ffffff, #171a1d) }
h1 { margin: 0 0 .75rem; font-size: 1.25rem }
p { margin: 0 0 .75rem; overflow-wrap: anywhere }
form { display: grid; gap: .5rem }
label { font-weight: 600; font-size: .875rem }
code { font-size: .9em }
input, button { font: inherit; color: inherit; padding: .5rem .75rem; border-radius: 6px;
  border: 1px solid light-dark(#8a8d92, #6b727a); background: transparent }
button { margin-top: .5rem; border-color: transparent; background: light-dark(#3a4bc4, #9aa9ff);
  color: light-dark(#ffffff, #0e1020); font-weight: 600; cursor: pointer }
:focus-visible { outline: 2px solid light-dark(#3a4bc4, #9aa9ff); outline-offset: 2px }
#needed { color: light-dark(#585c63, #a3aab2); font-size: .875rem }
#told { color: light-dark(#b0241c, #ff958b) }
</style>
<main>
<h1>Sign in</h1>
${notice}<form method="post" action="/session">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus ${invalid}>
<p id="needed">${neededRole(grants)}</p>
<button>Sign in</button>
</form>
</main>
<script>${SCRIPT}</script>
</html>
`
}
