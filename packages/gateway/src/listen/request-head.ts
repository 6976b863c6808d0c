import { headerKey, type WireHead } from '@agentic-rest/http1'
import {
  type FieldError,
  headerKeys,
  headers as headerNames,
  isIdentifier,
  type Outcome,
} from '@agentic-rest/profile'
import { refusal } from '../errors.ts'
import type { RequestHead } from '../exchange.ts'
import { type CanonicalTarget, canonicalTarget } from './canonical-path.ts'
import { UuidSource } from './uuid-source.ts'

/** A judged head, and whether its connection can be trusted behind it. */
export interface JudgedHead extends RequestHead {
  /** Other software might frame this request in another way: nothing behind it on its connection can be trusted. */
  readonly endsConnection: boolean
}

/** Headers that may be sent once: of two values, two readers could take different ones. */
const SINGLE_HEADERS: ReadonlyMap<string, string> = new Map(
  [
    'Host',
    headerNames.authorization,
    headerNames.contentType,
    headerNames.tenantId,
    headerNames.correlationId,
    headerNames.requestId,
    headerNames.actorPrincipal,
    headerNames.idempotencyKey,
  ].map((name) => [name.toLowerCase(), name]),
)

// uri-host and port of RFC 9110, section 7.2; brackets for IPv6.
const HOST = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/

const HTTP_VERSIONS = new Set(['1.0', '1.1', '2'])
const BODYLESS_METHODS = new Set(['GET', 'HEAD', 'TRACE'])

/** The parts of a head that are judged. */
export type ReadHead = Pick<WireHead, 'method' | 'url' | 'httpVersion' | 'rawHeaders'> &
  Partial<Pick<WireHead, 'framing'>>

/** Reads and judges the head of a request that the reader has accepted. */
export function readRequestHead(request: ReadHead): JudgedHead {
  const { method, url, rawHeaders } = request
  const errors: FieldError[] = []
  const headers = collectHeaders(rawHeaders, errors)
  const target = method === 'CONNECT' ? NO_TARGET : canonicalTarget(url, headers['host'])
  if (!target.ok) errors.push({ field: 'path', message: target.message })
  const isUnframed = !isFramed(request, headers, errors)
  judgeHost(headers['host'], errors)
  const trace = {
    correlationId: identifier(headers, TRACE_HEADERS.correlationId, errors),
    requestId: identifier(headers, TRACE_HEADERS.requestId, errors),
  }
  return {
    method,
    path: target.ok ? target.path : '/',
    query: target.ok ? target.query : '',
    headers,
    rawHeaders,
    trace,
    headFault: method === 'CONNECT' ? refusal('METHOD_NOT_ALLOWED') : invalidHead(errors),
    // An upgrade is ignored (RFC 9110, section 7.8). A client that does not wait for the answer sends another protocol behind it.
    endsConnection: isUnframed || method === 'CONNECT' || headers['upgrade'] !== undefined,
  }
}

/** CONNECT names a host and a port, and no path. */
const NO_TARGET: CanonicalTarget = { ok: true, path: '/', query: '' }

function invalidHead(errors: readonly FieldError[]): Outcome | undefined {
  if (errors.length === 0) return undefined
  // A field with two faults is listed once, with its first fault.
  const first = errors.filter(
    ({ field }, index) => errors.findIndex((error) => error.field === field) === index,
  )
  return { type: 'validation_failed', message: 'The request is not valid.', errors: first }
}

interface NamedHeader {
  readonly name: string
  readonly key: string
}

const TRACE_HEADERS = {
  correlationId: { name: headerNames.correlationId, key: headerKeys.correlationId },
  requestId: { name: headerNames.requestId, key: headerKeys.requestId },
} as const satisfies Record<string, NamedHeader>

/** The caller's identifier, or a new one where the caller sent none that is valid. */
function identifier(headers: CollectedHeaders, { name, key }: NamedHeader, errors: FieldError[]): string {
  const value = headers[key] ?? ''
  // An empty one counts as absent (decision 14).
  if (value === '') return uuids.next()
  if (isIdentifier(value) && !errors.some(({ field }) => field === name)) return value
  errors.push({ field: name, message: 'must be 1 to 256 printable ASCII characters' })
  return uuids.next()
}

const uuids = new UuidSource()

type CollectedHeaders = Record<string, string | undefined>

function collectHeaders(raw: readonly string[], errors: FieldError[]): CollectedHeaders {
  const headers: CollectedHeaders = Object.create(null)
  for (let index = 0; index < raw.length; index += 2) {
    const name = headerKey(raw[index] ?? '')
    const value = raw[index + 1] ?? ''
    const earlier = headers[name]
    if (earlier === undefined) {
      headers[name] = value
      continue
    }
    const single = SINGLE_HEADERS.get(name)
    if (single !== undefined) errors.push({ field: single, message: 'is sent more than once' })
    headers[name] = `${earlier}, ${value}`
  }
  return headers
}

function judgeHost(host: string | undefined, errors: FieldError[]): void {
  if (host !== undefined && !HOST.test(host)) errors.push({ field: 'Host', message: 'is not a host' })
}

/** Requests that the parser accepts, but that an upstream or a proxy in front might frame in another way (F12). */
function isFramed(
  { method, httpVersion, framing }: ReadHead,
  headers: CollectedHeaders,
  errors: FieldError[],
): boolean {
  const before = errors.length
  if (!HTTP_VERSIONS.has(httpVersion)) errors.push({ field: 'protocol', message: 'must be HTTP/1.1' })
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    errors.push({ field: 'Transfer-Encoding', message: 'must be chunked or absent' })
  // RFC 9112, section 6.1: an HTTP/1.0 recipient does not know the header and reads another body.
  if (coding !== undefined && httpVersion !== '1.1')
    errors.push({ field: 'Transfer-Encoding', message: 'needs HTTP/1.1' })
  // A body of HTTP/2 needs no header.
  const isUnsized = coding !== undefined || framing === 'chunked'
  const hasBody = isUnsized || (headers['content-length'] ?? '0') !== '0'
  if (hasBody && BODYLESS_METHODS.has(method))
    errors.push({ field: 'body', message: `is not allowed with ${method}` })
  return errors.length === before
}
