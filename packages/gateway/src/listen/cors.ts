import { headers } from '@agentic-rest/profile'

const MCP_SESSION = 'Mcp-Session-Id'

/** Request headers that a page of another origin may send. */
const ALLOWED_HEADERS = [
  headers.authorization,
  headers.contentType,
  headers.tenantId,
  headers.correlationId,
  headers.requestId,
  headers.actorPrincipal,
  headers.idempotencyKey,
  headers.approvalToken,
  headers.traceparent,
  'Accept',
  'Prefer',
  'Last-Event-ID',
  MCP_SESSION,
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
].join(', ')

/** Response headers that a page of another origin may read. */
const EXPOSED_HEADERS = [
  headers.profile,
  headers.correlationId,
  headers.requestId,
  headers.idempotencyReplayed,
  headers.retryAfter,
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  MCP_SESSION,
].join(', ')

const PREFLIGHT_CACHE_SECONDS = '600'

/** The CORS headers of an ordinary answer: exact origins only; `Vary` tells caches that the answer depends on them. */
export function corsHeaders(origins: readonly string[] | undefined, origin: string | undefined): string[] {
  if (origins === undefined) return []
  if (origin === undefined || !origins.includes(origin)) return ['Vary', 'Origin']
  return [
    'Vary',
    'Origin',
    'Access-Control-Allow-Origin',
    origin,
    'Access-Control-Expose-Headers',
    EXPOSED_HEADERS,
  ]
}

/** Whether a request is a preflight: it carries no token and is answered before the pipeline. */
export function isPreflight(
  method: string,
  requestHeaders: Readonly<Record<string, string | undefined>>,
): boolean {
  return (
    method === 'OPTIONS' &&
    requestHeaders['origin'] !== undefined &&
    requestHeaders['access-control-request-method'] !== undefined
  )
}

/** The headers that answer a preflight of an allowed origin. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': PREFLIGHT_CACHE_SECONDS,
  }
}
