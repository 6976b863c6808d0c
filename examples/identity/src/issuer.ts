import { type Configuration, type JWKS, Provider } from 'oidc-provider'
import { keepNothing } from './entry-store.ts'

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
  /** Further settings, which override those of this file. */
  readonly settings?: Configuration | undefined
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
export function createIssuer(options: IssuerOptions): Provider {
  const { issuer, keys, clients, tokenSeconds, claims, settings } = options
  return new Provider(issuer, {
    adapter: keepNothing,
    ...settings,
    jwks: keys,
    clients,
    ttl: { ...settings?.ttl, AccessToken: tokenSeconds, ClientCredentials: tokenSeconds },
    ...(claims && { extraTokenClaims: claims }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API.identifier,
        getResourceServerInfo: () => API.info,
      },
      ...settings?.features,
    },
  })
}
