/** The header names of the profile. They are spelled only here. */
export const headers = {
  authorization: 'Authorization',
  contentType: 'Content-Type',
  correlationId: 'X-Correlation-ID',
  requestId: 'X-Request-ID',
  tenantId: 'X-Tenant-ID',
  actorPrincipal: 'X-Actor-Principal',
  actorSubject: 'X-Actor-Subject',
  actorIssuer: 'X-Actor-Issuer',
  actorRoles: 'X-Actor-Roles',
  agenticIdentity: 'X-Agentic-Identity',
  idempotencyKey: 'Idempotency-Key',
  idempotencyReplayed: 'Idempotency-Replayed',
  approvalToken: 'X-Approval-Token',
  via: 'X-Agentic-Via',
  profile: 'X-Agentic-Profile',
  retryAfter: 'Retry-After',
  traceparent: 'traceparent',
} as const

/** The key of a header in `headers`. */
export type HeaderName = keyof typeof headers

/** The header names in lower case, for lookups in Node and `Headers`. */
export const headerKeys = Object.fromEntries(
  Object.entries(headers).map(([key, name]) => [key, name.toLowerCase()]),
) as { readonly [K in HeaderName]: Lowercase<(typeof headers)[K]> }

/** Headers as a `Headers` object or as a plain record. */
export type HeaderSource =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The value of a header, case-insensitive. Repeated headers are joined (RFC 9110 5.3). */
export function headerValue(source: HeaderSource, name: string): string | undefined {
  if (isHeadersObject(source)) return source.get(name) ?? undefined
  const wanted = name.toLowerCase()
  const values = Object.entries(source)
    .filter(([key, value]) => key.toLowerCase() === wanted && value !== undefined && value !== null)
    .flatMap(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

function isHeadersObject(source: HeaderSource): source is { get(name: string): string | null } {
  return typeof source['get'] === 'function'
}
