import type { JsonObject } from '@agentic-rest/profile'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The facts of a protected resource (RFC 9728). */
export interface ProtectedResource {
  /** The address of the endpoint as people type it, path included. */
  readonly publicUrl: string
  readonly issuers: readonly string[]
  readonly scopes: readonly string[]
  readonly title?: string | undefined
}

/** The metadata of the endpoint, answered without a token. */
export function resourceMetadata({ publicUrl, issuers, scopes, title }: ProtectedResource): JsonObject {
  return {
    resource: publicUrl,
    authorization_servers: issuers,
    scopes_supported: scopes.filter((scope) => scope !== 'offline_access'),
    bearer_methods_supported: ['header'],
    ...(title !== undefined && { resource_name: title }),
  }
}

/** The paths of the metadata. Clients try the one with the path of the endpoint first. */
export function metadataPaths(publicUrl: string): readonly string[] {
  const { pathname } = new URL(publicUrl)
  return pathname === '/' ? [WELL_KNOWN] : [`${WELL_KNOWN}${pathname}`, WELL_KNOWN]
}

/** The address of the metadata. */
export function metadataUrl(publicUrl: string): string {
  const [path = WELL_KNOWN] = metadataPaths(publicUrl)
  return new URL(path, publicUrl).href
}

/** The value of `WWW-Authenticate` with the address of the metadata, without which clients cannot sign in. */
export function challengeOf(publicUrl: string, own = 'Bearer', scopes: readonly string[] = []): string {
  const scheme = /^bearer\b/i.test(own) ? own : 'Bearer'
  const separator = /^bearer\s*$/i.test(scheme) ? ' ' : ', '
  const scope = scopes.length === 0 || /\bscope=/.test(own) ? '' : `, scope="${scopes.join(' ')}"`
  return `${scheme.trimEnd()}${separator}resource_metadata="${metadataUrl(publicUrl)}"${scope}`
}
