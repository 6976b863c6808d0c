import { type AdapterFactory, type Configuration, type JWKS, Provider } from 'oidc-provider'

/** What differs between the two issuers. */
export interface IssuerOptions {
  /** Its identifier, which is also where it can be reached. */
  readonly issuer: string
  readonly keys: JWKS
  readonly clients: NonNullable<Configuration['clients']>
  /** How long its tokens are good for. */
  readonly tokenSeconds: number
  /** Claims beside those of RFC 9068. */
  readonly claims?: NonNullable<Configuration['extraTokenClaims']>
}

/** The name of the API in tokens: what the gateways ask for as `audience`. */
export const AUDIENCE = 'agentic'

/** The API that all tokens are for. Tokens for a resource are JWTs (RFC 9068); oidc-provider's own would be opaque. */
export const API = {
  identifier: 'urn:agentic-rest:api',
  info: {
    audience: AUDIENCE,
    scope: '',
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  },
} as const

/** An authorization server with discovery and a JWKS, whose access tokens gateways can verify by themselves. */
export function createIssuer({ issuer, keys, clients, tokenSeconds, claims }: IssuerOptions): Provider {
  return new Provider(issuer, {
    jwks: keys,
    clients,
    adapter: keepNothing,
    ttl: { AccessToken: tokenSeconds, ClientCredentials: tokenSeconds },
    ...(claims && { extraTokenClaims: claims }),
    features: {
      clientCredentials: { enabled: true },
      // There is nobody to log in: users get their tokens by the development grant.
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API.identifier,
        getResourceServerInfo: () => API.info,
      },
    },
  })
}

/** Signed tokens are in nobody's store, and nothing else is ever issued here. */
const keepNothing: AdapterFactory = () => ({
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
})
