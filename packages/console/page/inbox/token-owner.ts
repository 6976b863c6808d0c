import { ownerOf, type TokenOwner } from '@agentic-rest/profile/approval'
import type { PluginInfo } from '../api/bodies.ts'
import { fieldsOf, listOf, textOf } from '../api/read-json.ts'

/** The owner that a JWT names, by the claim that the gateway is configured to use. It only sorts lists and proves nothing. */
export function configuredOwnerOf(token: string, plugins: readonly PluginInfo[]): TokenOwner {
  const owner = ownerOf(token)
  return ownerOf(token, subjectClaim(owner.issuer, plugins))
}

function subjectClaim(issuer: string | undefined, plugins: readonly PluginInfo[]): string {
  const validator = plugins.find(({ name }) => name === 'token-validator')
  const issuers = listOf(fieldsOf(validator?.configuration), 'issuers', fieldsOf)
  const configured = issuers.find((each) => textOf(each, 'issuer') === issuer)
  return textOf(fieldsOf(configured?.get('claims')), 'subject') || 'sub'
}
