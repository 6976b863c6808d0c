import { parseJson } from '@agentic-rest/profile'
import { fieldsOf, listOf, textOf } from '../api/read-json.ts'
import type { PluginInfo } from '../api/route-list.ts'
import type { Me } from './approval-rules.ts'

/** The owner that a JWT names, by the claim that the gateway is configured to use. It only sorts lists and proves nothing. */
export function ownerOf(token: string, plugins: readonly PluginInfo[]): Me {
  const claims = claimsOf(token)
  const issuer = textOf(fieldsOf(claims), 'iss') || undefined
  const subject = claimAt(claims, subjectClaim(issuer, plugins))
  return { subject: typeof subject === 'string' && subject !== '' ? subject : undefined, issuer }
}

function claimsOf(token: string): unknown {
  const payload = token.split('.')[1] ?? ''
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    )
    return parseJson(new TextDecoder().decode(bytes)).value
  } catch {
    // An opaque token has no payload.
    return undefined
  }
}

function subjectClaim(issuer: string | undefined, plugins: readonly PluginInfo[]): string {
  const validator = plugins.find(({ name }) => name === 'token-validator')
  const issuers = listOf(fieldsOf(validator?.configuration), 'issuers', fieldsOf)
  const configured = issuers.find((each) => textOf(each, 'issuer') === issuer)
  return textOf(fieldsOf(configured?.get('claims')), 'subject') || 'sub'
}

/** A claim by its dotted path; a claim may have dots in its own name. */
function claimAt(claims: unknown, path: string): unknown {
  const fields = fieldsOf(claims)
  if (fields.has(path)) return fields.get(path)
  return path.split('.').reduce<unknown>((value, name) => fieldsOf(value).get(name), claims)
}
