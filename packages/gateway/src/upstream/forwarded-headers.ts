import { headers as headerNames } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'

/** RFC 9110, section 7.6.1: they speak of one connection and never pass a proxy. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * No client copy of these passes, however it is spelled. Framing and addressing are our own: undici writes them for
 * the request it sends (F1). The others the gateway sets itself, or leaves out.
 */
const OWNED = new Set(
  [
    ...HOP_BY_HOP,
    'Host',
    'Content-Length',
    'Expect',
    headerNames.correlationId,
    headerNames.requestId,
    headerNames.tenantId,
    headerNames.actorPrincipal,
    headerNames.actorSubject,
    headerNames.actorRoles,
    headerNames.idempotencyKey,
    headerNames.approvalToken,
    headerNames.authorization,
    headerNames.traceparent,
    // It belongs to the traceparent that is replaced (W3C Trace Context, section 3.4).
    'tracestate',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Forwarded-Host',
    'Forwarded',
  ].map((name) => normalised(name.toLowerCase())),
)

/** Whether a header may not pass from one side to the other; `named` are those that `Connection` lists. */
export function isHopByHop(name: string, named: ReadonlySet<string> | undefined): boolean {
  return HOP_BY_HOP.has(name) || (named?.has(name) ?? false)
}

/** The names that the `Connection` header lists; one that was sent twice is joined. */
export function connectionNames(value: string | undefined): ReadonlySet<string> | undefined {
  if (value === undefined) return undefined
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()))
}

/**
 * The headers of the forwarded request, names and values in turn: first strip, then set. The other way round a
 * client's `Connection: X-Tenant-ID` would take away what the gateway has just set (F16).
 */
export function forwardedHeaders(exchange: Exchange, traceparent: string): string[] {
  const forwarded = passedHeaders(exchange)
  for (const [name, value] of ownHeaders(exchange, traceparent)) {
    if (value !== undefined && value !== '') forwarded.push(name, value)
  }
  return forwarded
}

/** They vouch for bytes that prompt-sanitize has replaced (RFC 9530). */
const DIGESTS = new Set(['content-digest', 'repr-digest', 'digest', 'content-md5'])

function passedHeaders({ rawHeaders, headers, streaming, body }: Exchange): string[] {
  const named = connectionNames(headers['connection'])
  const passed: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const key = name.toLowerCase()
    if (OWNED.has(normalised(key)) || named?.has(key)) continue
    // A compressed stream cannot be flushed chunk by chunk.
    if (streaming && key === 'accept-encoding') continue
    if (body.replaced && DIGESTS.has(key)) continue
    passed.push(name, rawHeaders[index + 1] ?? '')
  }
  return passed
}

function ownHeaders(exchange: Exchange, traceparent: string): [string, string | undefined][] {
  const { headers, identity, trace, route } = exchange
  const own = (name: string) => headers[name.toLowerCase()]
  return [
    [headerNames.correlationId, trace.correlationId],
    [headerNames.requestId, trace.requestId],
    [headerNames.tenantId, exchange.tenantId],
    [headerNames.actorPrincipal, exchange.actor],
    [headerNames.actorSubject, identity?.subject],
    [headerNames.actorRoles, identity?.roles.join(',')],
    [headerNames.idempotencyKey, own(headerNames.idempotencyKey)],
    [headerNames.approvalToken, own(headerNames.approvalToken)],
    [
      headerNames.authorization,
      route?.config.forwardAuthorization ? own(headerNames.authorization) : undefined,
    ],
    [headerNames.traceparent, traceparent],
    ['X-Forwarded-For', exchange.clientAddress],
    ['X-Forwarded-Proto', exchange.protocol],
    ['X-Forwarded-Host', headers['host']],
  ]
}

/** One spelling for `X_Tenant_ID`, `x.tenant.id` and the like, which some servers read as the same header. */
function normalised(key: string): string {
  return key.replaceAll(/[^a-z0-9]/g, '-')
}
