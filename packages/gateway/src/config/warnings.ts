import { headers } from '@agentic-rest/profile'
import type { GatewayConfig, IssuerOptions } from './config-schema.ts'

/** What is valid but unwise about a configuration; values of the file are not repeated, one may be a secret. */
export const warningsOf = ({ plugins }: GatewayConfig): readonly string[] => {
  const { mode, issuers } = plugins['token-validator']
  // Without tokens issuers are not used, and nobody has a claim.
  if (mode === 'off')
    return ['plugins.token-validator.mode is off: every request is accepted without a token']
  return [...issuers.flatMap(audienceWarning), ...tenantWarning(plugins)]
}

const audienceWarning = ({ audience }: IssuerOptions, index: number): string[] =>
  audience.length > 0
    ? []
    : [
        `plugins.token-validator.issuers[${index}].audience is empty: tokens that this issuer made for other services are accepted too`,
      ]

/** Decision 18 leaves the tenant to the header where a token has no tenant claim: any tenant, unless something bounds it. */
const tenantWarning = (plugins: GatewayConfig['plugins']): string[] => {
  const { claim, allowed, webhook } = plugins['tenant-injector']
  const { issuers, required_claims: required } = plugins['token-validator']
  const mayLackClaim = ({ service_account, claims }: IssuerOptions) =>
    !service_account && !required.includes(claims.tenant ?? claim)
  if (allowed !== undefined || webhook !== undefined || !issuers.some(mayLackClaim)) return []
  return [
    'plugins.tenant-injector has neither allowed nor webhook: a token without its tenant claim is let into any tenant ' +
      `that the ${headers.tenantId} header names; list the tenants in allowed, ask a directory by webhook, or put the ` +
      'claim into plugins.token-validator.required_claims',
  ]
}
