import { headerKey, memoize } from '@agentic-rest/http1'
import { headerKeys, headers as headerNames } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'

/** RFC 9110, section 7.6.1: headers about one connection, which never pass a proxy. */
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

/** Services believe these headers about the caller, the client or the request: a client's own never count. */
const FORGEABLE = [
  headerNames.actorSubject,
  headerNames.actorIssuer,
  headerNames.actorRoles,
  headerNames.agenticIdentity,
  'Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Forwarded-Host',
  'X-Forwarded-User',
  'X-Forwarded-Client-Cert',
  'X-Forwarded-Uri',
  'X-Forwarded-Path',
  'X-Forwarded-Method',
  'X-Forwarded-Prefix',
  'X-Script-Name',
  'X-Real-IP',
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-Envoy-Original-Path',
  // RFC 9440: a proxy that ends TLS must remove a client's own.
  'Client-Cert',
  'Client-Cert-Chain',
]

/** Frameworks and proxies read another path, host or method from headers with these beginnings. */
const FORGEABLE_BEGINNINGS = ['x-original-', 'x-rewrite-']

/**
 * Dropped from the client's request in every spelling. The writer sets framing and addressing for the request that it
 * sends (F1). The gateway sets the others itself or leaves them out.
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
    headerNames.idempotencyKey,
    headerNames.approvalToken,
    headerNames.via,
    headerNames.authorization,
    headerNames.traceparent,
    // It belongs to the replaced traceparent (W3C Trace Context, section 3.4).
    'tracestate',
  ].map((name) => normalised(name.toLowerCase())),
)

/** The key of a header, or nothing for one that is dropped; cached by the name as it was sent. */
const passedKey = memoize((name) =>
  OWNED.has(normalised(name.toLowerCase())) || isForgeable(name) ? '' : headerKey(name),
)

const FORGEABLE_NAMES = new Set(FORGEABLE.map((name) => normalised(name.toLowerCase())))

/** Whether a header of a client, in any spelling, states what only the gateway may state. */
export const isForgeable = memoize((name) => {
  const key = normalised(name.toLowerCase())
  return FORGEABLE_NAMES.has(key) || FORGEABLE_BEGINNINGS.some((beginning) => key.startsWith(beginning))
})

/** Whether a header must not pass the gateway; `named` are the names in `Connection`. */
export function isHopByHop(name: string, named: ReadonlySet<string> | undefined): boolean {
  return HOP_BY_HOP.has(name) || (named?.has(name) ?? false)
}

/** The names in the `Connection` header; several headers are joined before. */
export function connectionNames(value: string | undefined): ReadonlySet<string> | undefined {
  return value === undefined ? undefined : namesIn(value)
}

const namesIn = memoize((value) => new Set(value.split(',').map((name) => name.trim().toLowerCase())))

/** Values that the gateway makes for one forwarded request. */
export interface OwnValues {
  /** Joins the spans of gateway and upstream. */
  readonly traceparent: string
  /** The signed identity of the caller, where the gateway has a key. */
  readonly identity?: string | undefined
  /** The client's address and those of the proxies before the gateway. */
  readonly forwardedFor: string
}

/**
 * The headers of the forwarded request, names and values in turn: first strip the client's, then add the gateway's. In
 * the other order a client's `Connection: X-Tenant-ID` would remove the gateway's header (F16).
 */
export function forwardedHeaders(exchange: Exchange, own: OwnValues): string[] {
  const forwarded = passedHeaders(exchange)
  addOwnHeaders(forwarded, exchange, own)
  return forwarded
}

/** The encoding and the digests (RFC 9530) of the original bytes, wrong after a plugin has replaced them. */
const OF_ORIGINAL_BYTES = new Set([
  'content-encoding',
  'content-digest',
  'repr-digest',
  'digest',
  'content-md5',
])

function passedHeaders(exchange: Exchange): string[] {
  const { rawHeaders, headers, body } = exchange
  const isPlain = exchange.streaming || exchange.countsUsage || exchange.keyClaim !== undefined
  const named = connectionNames(headers['connection'])
  const passed: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const key = passedKey(name)
    if (key === '' || named?.has(key)) continue
    // A compressed stream cannot be flushed chunk by chunk, the usage in a compressed answer cannot be read, and a
    // stored answer is for retries of any client.
    if (isPlain && key === 'accept-encoding') continue
    if (body.isReplaced && OF_ORIGINAL_BYTES.has(key)) continue
    passed.push(name, rawHeaders[index + 1] ?? '')
  }
  return passed
}

function addOwnHeaders(
  list: string[],
  exchange: Exchange,
  { traceparent, identity: signed, forwardedFor }: OwnValues,
): void {
  const { headers, identity, trace, route } = exchange
  add(list, headerNames.correlationId, trace.correlationId)
  add(list, headerNames.requestId, trace.requestId)
  add(list, headerNames.tenantId, exchange.tenantId)
  add(list, headerNames.actorPrincipal, exchange.actor)
  add(list, headerNames.actorSubject, identity?.subject)
  add(list, headerNames.actorIssuer, identity?.issuer)
  add(list, headerNames.actorRoles, identity?.roles.join(','))
  add(list, headerNames.agenticIdentity, signed)
  add(list, headerNames.idempotencyKey, headers[headerKeys.idempotencyKey])
  add(list, headerNames.approvalToken, headers[headerKeys.approvalToken])
  // Approvers see it. People could claim to come by any way; agents are trusted with it, as with the actor.
  if (identity?.serviceAccount) add(list, headerNames.via, headers[headerKeys.via])
  if (route?.forwardAuthorization && exchange.mcpCall?.forwardsToken !== false)
    add(list, headerNames.authorization, headers[headerKeys.authorization])
  add(list, headerNames.traceparent, traceparent)
  if (exchange.countsUsage || exchange.keyClaim !== undefined) add(list, 'Accept-Encoding', 'identity')
  add(list, 'X-Forwarded-For', forwardedFor)
  add(list, 'X-Forwarded-Proto', exchange.protocol)
  add(list, 'X-Forwarded-Host', headers['host'])
}

function add(list: string[], name: string, value: string | undefined): void {
  if (value !== undefined && value !== '') list.push(name, value)
}

/** One spelling for `X_Tenant_ID`, `x.tenant.id` and the like: some servers read them as the same header. */
function normalised(key: string): string {
  return key.replaceAll(/[^a-z0-9]/g, '-')
}
