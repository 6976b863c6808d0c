import { headerKeys, headers, type ValidationFailed } from '@agentic-rest/profile'
import type { TokenValidatorOptions } from '../../config/config-schema.ts'
import { invalidRequest } from '../../errors.ts'
import type { Exchange } from '../../exchange.ts'
import { isHeaderText } from './header-text.ts'

/** Who acts: the principal that the request names where its word counts, else the token's subject (decision 17). */
export function resolveActor(
  { headers: sent, identity }: Exchange,
  trust: TokenValidatorOptions['actor_header'],
): string | ValidationFailed {
  const subject = identity?.subject ?? ''
  if (trust === 'ignore') return subject
  if (trust === 'service_accounts' && identity?.serviceAccount !== true) return subject
  const principal = sent[headerKeys.actorPrincipal]
  if (principal === undefined || principal === '') return subject
  if (isHeaderText(principal)) return principal
  return invalidRequest(headers.actorPrincipal, 'must be 1 to 256 printable ASCII characters')
}
