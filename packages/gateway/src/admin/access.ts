import { headerKeys, type Outcome, statusOf } from '@agentic-rest/profile'
import type { Exchange, Identity } from '../exchange.ts'
import type { PipelinePlugin } from '../plugin.ts'
import { judgeToken } from '../sessions/judge-token.ts'
import type { People } from '../sessions/people.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { escapeHtml, signInPage } from '../sessions/sign-in-page.ts'
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
  readonly people: () => People
}

/** Decides on access to the admin listener, by a token in the request or by a browser session. */
export interface Access {
  /** The refusal of a request, or nothing; then the exchange has the identity of its token. */
  judge(exchange: Exchange): Promise<AdminAnswer | undefined>
  /** Whether a request that was let in is one of an operator; in development everybody is. */
  readerOf(exchange: Exchange): Reader
  /** The `Authorization` header of the person of a session, or the refusal; in development there is none. */
  lend(exchange: Exchange): Promise<AdminAnswer | string>
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
      const authorization = await authorizationOf(exchange, options.people().sessions)
      const denied = await judge(exchange, authorization, { ...options, granting })
      if (denied === undefined) return undefined
      return isNavigation(exchange) ? pageOf(denied.answer, options) : denied.answer
    },
    readerOf({ identity }) {
      const { operator } = options.grants
      const isOperator = operator !== undefined && isGranted(operator, identity)
      return options.development || isOperator ? 'operator' : 'viewer'
    },
    async lend(exchange) {
      const unavailable = sessionsUnavailable(options)
      if (unavailable !== undefined) return unavailable
      const authorization = await authorizationOf(exchange, options.people().sessions)
      const { viewer, operator } = options.grants
      const denied = await judge(exchange, authorization, { ...options, granting: [viewer, operator] })
      return denied?.answer ?? authorization ?? refuseAll()
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
      if (denied !== undefined) return pageOf(denied.answer, options, denied.message)
      const cookie = await options.people().sessions.open(exchange, { token, identity: exchange.identity })
      return { status: SEE_OTHER, headers: { Location: '/', 'Set-Cookie': cookie } }
    },
    async signOut(exchange) {
      const unavailable = sessionsUnavailable(options)
      if (unavailable !== undefined) return unavailable
      const { sessions, signIn } = options.people()
      if (signIn !== undefined) return await signIn.signOut(exchange)
      const { cookie } = await sessions.end(exchange, 'sign-out')
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

/** Turns a refusal into a page with a field for a token, for browsers. */
function pageOf(answer: AdminAnswer, { grants, people }: AccessOptions, message?: string): AdminAnswer {
  return signInPage(answer, { message, needed: neededRole(grants), hasSignIn: people().signIn !== undefined })
}

/** Says which role is needed: without it people cannot know which token to get. */
function neededRole({ viewer, operator }: Grants): string {
  const role = (grant: Grant) => `<code>${escapeHtml(grant.role)}</code>`
  if (viewer === undefined) return operator === undefined ? '' : `The token needs the role ${role(operator)}.`
  const reading = `To read, the token needs the role ${role(viewer)}`
  return operator === undefined ? `${reading}.` : `${reading}; to act as well, ${role(operator)}.`
}
