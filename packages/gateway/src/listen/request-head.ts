import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  type FieldError,
  headerKeys,
  headers as headerNames,
  isIdentifier,
  type Outcome,
  type Trace,
} from '@agentic-rest/profile'
import { canonicalTarget } from './canonical-path.ts'

/** The head of a request after header hygiene. */
export interface RequestHead {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly rawHeaders: readonly string[]
  readonly trace: Trace
  /** Why the request is refused, with everything that is wrong with its head. */
  readonly fault: Outcome | undefined
}

/** Sent twice, two readers could take two different values. */
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

/** Reads and judges the head of a request that the parser has accepted. */
export function readRequestHead(request: IncomingMessage): RequestHead {
  const errors: FieldError[] = []
  const headers = collectHeaders(request.rawHeaders, errors)
  const target = canonicalTarget(request.url ?? '', headers['host'])
  if (!target.ok) errors.push({ field: 'path', message: target.message })
  judgeFraming(request.method ?? '', headers, errors)
  if (headers['host'] !== undefined && !HOST.test(headers['host']))
    errors.push({ field: 'Host', message: 'is not a host' })
  return {
    method: request.method ?? '',
    path: target.ok ? target.path : '/',
    query: target.ok ? target.query : '',
    headers,
    rawHeaders: request.rawHeaders,
    trace: {
      correlationId: identifier(headerNames.correlationId, headers[headerKeys.correlationId], errors),
      requestId: identifier(headerNames.requestId, headers[headerKeys.requestId], errors),
    },
    fault: errors.length === 0 ? undefined : invalidHead(errors),
  }
}

function invalidHead(errors: readonly FieldError[]): Outcome {
  return { type: 'validation_failed', message: 'The request is not valid.', errors }
}

function collectHeaders(raw: readonly string[], errors: FieldError[]): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = Object.create(null)
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase()
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

/** What the parser lets pass but an upstream might frame in another way (F12). */
function judgeFraming(
  method: string,
  headers: Record<string, string | undefined>,
  errors: FieldError[],
): void {
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    errors.push({ field: 'Transfer-Encoding', message: 'must be chunked or absent' })
  const hasBody = coding !== undefined || (headers['content-length'] ?? '0') !== '0'
  if (hasBody && (method === 'GET' || method === 'HEAD'))
    errors.push({ field: 'body', message: `is not allowed with ${method}` })
}

function identifier(name: string, value: string | undefined, errors: FieldError[]): string {
  if (value === undefined || value === '') return randomUUID()
  if (isIdentifier(value)) return value
  errors.push({ field: name, message: 'must be 1 to 256 printable ASCII characters' })
  return randomUUID()
}
