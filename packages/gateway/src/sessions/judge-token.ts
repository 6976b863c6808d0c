import { headerKeys, type Outcome, readClaim } from '@agentic-rest/profile'
import { type Exchange, type Identity, unlessCancelled } from '../exchange.ts'
import type { PipelinePlugin } from '../plugin.ts'

/** The refusal of a token, or the caller that it names; neither where token-validator is off. */
export interface Judged {
  readonly refused: Outcome | undefined
  readonly identity: Identity | undefined
}

/** Judges a token by the token-validator. The plugin gets a copy of the request with the token as its only header. */
export async function judgeToken(
  exchange: Exchange,
  authorization: string | undefined,
  validator: PipelinePlugin,
): Promise<Judged> {
  const judged: Exchange = { ...exchange, headers: { [headerKeys.authorization]: authorization } }
  const refused = await unlessCancelled(Promise.resolve(validator.request(judged)), exchange.signal)
  return { refused, identity: judged.identity }
}

/** The name for people: a claim of OpenID Connect, else the subject. */
export function displayName({ claims, subject }: Identity): string {
  const names = ['name', 'preferred_username'].map((claim) => readClaim(claims, claim))
  return names.find((name): name is string => typeof name === 'string' && name.trim() !== '') ?? subject
}
