import { type AdapterFactory, type Configuration, type JWKS, Provider } from 'oidc-provider'

/** The options that differ between the two issuers. */
export interface IssuerOptions {
  /** Its identifier, which is also its address. */
  readonly issuer: string
  readonly keys: JWKS
  readonly clients: NonNullable<Configuration['clients']>
  /** The lifetime of its tokens. */
  readonly tokenSeconds: number
  /** Claims besides those of RFC 9068. */
  readonly claims?: NonNullable<Configuration['extraTokenClaims']>
}

/** The audience of tokens, as the gateways require it. */
export const AUDIENCE = 'agentic'

/** The resource of all tokens. Tokens for a resource are JWTs (RFC 9068); oidc-provider's default is opaque. */
export const API = {
  identifier: 'urn:agentic-rest:api',
  info: {
    audience: AUDIENCE,
    scope: '',
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  },
} as const

/** Creates an authorization server with discovery and a JWKS, so that gateways can verify its tokens. */
export function createIssuer({ issuer, keys, clients, tokenSeconds, claims }: IssuerOptions): Provider {
  return new Provider(issuer, {
    jwks: keys,
    clients,
    adapter: keepNothing,
    ttl: { AccessToken: tokenSeconds, ClientCredentials: tokenSeconds },
    ...(claims && { extraTokenClaims: claims }),
    features: {
      clientCredentials: { enabled: true },
      // There is no login: users get tokens by the development grant.
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

/** A store that keeps nothing: only signed tokens are issued. */
const keepNothing: AdapterFactory = () => ({
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
})
