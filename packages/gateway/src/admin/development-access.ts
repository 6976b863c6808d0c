import { parseJson } from '@agentic-rest/profile'
import type { AdminBody } from '@agentic-rest/profile/admin'
import type { Exchange } from '../exchange.ts'
import { type AdminAnswer, faultAnswer, jsonAnswer } from './answer.ts'

/** A person whose token development gives out. */
export interface Person {
  readonly sub: string
  readonly tenant: string
  readonly roles: readonly string[]
}

/** A request for a token. Tenant and roles default to those of the person. */
export interface TokenWish {
  readonly sub: string
  readonly tenant?: string | undefined
  readonly roles?: readonly string[] | undefined
}

/** A token and its end. */
export interface GivenToken {
  readonly token: string
  readonly expiresAt: string
}

/** Access in development: no token is needed, and tokens of all people are given out. On this machine only. */
export interface DevelopmentAccess {
  /** The people to choose from. */
  people(): Promise<readonly Person[]>
  /** Rejects with an error whose message may be shown. */
  requestToken(wish: TokenWish): Promise<GivenToken>
}

const MAX_WISH_BYTES = 4_096

/** Answers a request for a token. */
export async function giveToken(
  { body }: Exchange,
  development: DevelopmentAccess | undefined,
): Promise<AdminAnswer> {
  if (development === undefined) return faultAnswer('NOT_FOUND', 'There is nothing here.')
  const bytes = await body.read(MAX_WISH_BYTES)
  if (bytes === undefined) return faultAnswer('TOO_LARGE', `The body is larger than ${MAX_WISH_BYTES} bytes.`)
  const wish = readWish(bytes.toString())
  if (wish === undefined) return faultAnswer('INVALID', 'The body names nobody: sub, tenant?, roles?.')
  try {
    return jsonAnswer<AdminBody<'Token'>>(await development.requestToken(wish))
  } catch (error) {
    return faultAnswer('INVALID', error instanceof Error ? error.message : 'There is no token.')
  }
}

function readWish(text: string): TokenWish | undefined {
  const { value } = parseJson(text)
  if (typeof value !== 'object' || value === null) return undefined
  const { sub, tenant, roles } = value as Readonly<Record<string, unknown>>
  if (typeof sub !== 'string' || sub === '') return undefined
  if (tenant !== undefined && typeof tenant !== 'string') return undefined
  if (roles !== undefined && !isTextList(roles)) return undefined
  return { sub, tenant, roles }
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
