import type { AccessToken, ClientCredentials, Provider } from 'oidc-provider'

/** Gets a record of every issued token. */
export type TokenRecords = (record: Readonly<Record<string, unknown>>) => void

/** Records issued tokens in the format of audit records, without the token itself. */
export function recordTokens(provider: Provider, write: TokenRecords): void {
  provider.on('access_token.issued', (token) => write(recordOf(token, provider.issuer)))
  provider.on('client_credentials.issued', (token) => write(recordOf(token, provider.issuer)))
}

function recordOf(token: AccessToken | ClientCredentials, issuer: string): Record<string, unknown> {
  const actor = 'accountId' in token ? token.accountId : token.clientId
  const { tenant_id: tenant = '', roles = [] } = (token.extra ?? {}) as {
    tenant_id?: string
    roles?: string[]
  }
  return {
    event_type: 'identity.token.issued',
    tenant_id: tenant,
    actor_id: actor,
    operation: 'POST /token',
    outcome: 'success',
    timestamp: new Date().toISOString(),
    attributes: { issuer, client_id: token.clientId, token_id: token.jti, roles: roles.join(',') },
  }
}
