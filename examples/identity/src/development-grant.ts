import {
  type AccessToken,
  type ClientCredentials,
  errors,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider'
import type { User } from './demo-users.ts'
import { API } from './issuer.ts'

/** The development grant type: it gives tokens for any person without a password. Never offer it to a network. */
export const DEVELOPMENT_GRANT = 'urn:agentic-rest:grant-type:development'

/** The public client that may use the grant. */
export const DEVELOPMENT_CLIENT = 'development'

interface Wish {
  readonly sub?: string
  readonly tenant?: string
  readonly roles?: string
}

/**
 * Adds the development grant to an issuer. Its parameters are `sub`, and optional `tenant` and `roles`. The subject of an
 * agent is refused, because services identify the agent by it.
 */
export function addDevelopmentGrant(provider: Provider, isAgent: (sub: string) => boolean): void {
  provider.registerGrantType<Wish>(
    DEVELOPMENT_GRANT,
    async function issueToken(context) {
      const { client, params } = context.oidc
      if (params.sub === undefined) throw new errors.InvalidRequest('sub is missing')
      if (isAgent(params.sub)) throw new errors.InvalidRequest(`${params.sub} is an agent, and no person`)
      const token = new provider.AccessToken({
        client,
        accountId: params.sub,
        grantId: '',
        gty: DEVELOPMENT_GRANT,
      })
      token.resourceServer = new provider.ResourceServer(API.identifier, API.info)
      const value = await token.save()
      context.body = { access_token: value, token_type: token.tokenType, expires_in: token.expiration }
    },
    ['sub', 'tenant', 'roles'],
  )
}

/** The people of development, by the `sub` of their tokens. */
export type People = ReadonlyMap<string, User>

/** Creates the claims of a person's token: by the wish of the development grant, else those of the person who signed in. */
export function userClaims(people: People) {
  return function claimsOf(
    { oidc }: KoaContextWithOIDC,
    token: AccessToken | ClientCredentials,
  ): Record<string, unknown> {
    const isPerson = 'accountId' in token
    const isWish = isPerson && token.gty === DEVELOPMENT_GRANT
    const wish = isWish ? (oidc.params as Wish) : isPerson ? { sub: token.accountId } : {}
    const { tenant, roles } = readUser(wish, people)
    return { tenant_id: tenant, roles }
  }
}

function readUser({ sub = '', tenant, roles }: Wish, people: People): User {
  const user = people.get(sub)
  const tenantId = tenant ?? user?.tenant
  if (tenantId === undefined) {
    throw new errors.InvalidRequest(
      `${sub} is none of ${[...people.keys()].join(', ')}: a tenant has to be given`,
    )
  }
  return { tenant: tenantId, roles: roles === undefined ? (user?.roles ?? []) : splitRoles(roles) }
}

function splitRoles(text: string): string[] {
  return text.split(',').filter((role) => role !== '')
}
