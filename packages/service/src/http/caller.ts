import { headers, readTrace, type Trace } from '@agentic-rest/profile'
import { endWith, goOn, type Step } from '../answer.ts'
import { invalidAt, invalidRequest, refusal } from '../refusals.ts'
import { isStorable } from '../runtime/key-text.ts'
import { readVia } from './via.ts'

/** The statements of a gateway about a request, in plain headers or in a signed token. */
export interface Identity {
  readonly tenant: string | undefined
  readonly subject: string | undefined
  readonly issuer: string | undefined
  readonly actor: string | undefined
  readonly roles: readonly string[]
  /** The SHA-256 of the request body in base64url, if the gateway signed it. */
  readonly bodyDigest: string | undefined
}

/** The caller and the control headers of a request, validated by the gateway. */
export interface Caller extends Identity {
  readonly tenant: string
  readonly actor: string
  readonly idempotencyKey: string | undefined
  readonly approvalToken: string | undefined
  readonly authorization: string | undefined
  readonly traceparent: string | undefined
  readonly prefersAsync: boolean
  /** The calls that led to the caller, the first one first, as the agents on the way state them. */
  readonly via: readonly string[]
}

const IDENTIFIER_PATTERN = String.raw`^[\x20-\x7e]{0,256}$`

/** The rules of the headers of every request, as in the document. An empty header counts as absent (decision 14). */
export const headerPatterns = {
  [headers.tenantId]: '^[A-Za-z0-9._-]{0,64}$',
  [headers.correlationId]: IDENTIFIER_PATTERN,
  [headers.requestId]: IDENTIFIER_PATTERN,
  [headers.idempotencyKey]: String.raw`^[\x20-\x7e]{0,255}$`,
} as const

const TENANT = new RegExp(headerPatterns[headers.tenantId])
const IDEMPOTENCY_KEY = new RegExp(headerPatterns[headers.idempotencyKey])

/** Reads the ids of a request or creates them. An invalid id is replaced, and the request is refused. */
export function openTrace(request: Request): Step<undefined> & { readonly trace: Trace } {
  const { correlationId, requestId, invalidHeaders } = readTrace(request.headers)
  const usable = (name: string, id: string | undefined) =>
    id === undefined || invalidHeaders.includes(name) ? crypto.randomUUID() : id
  const trace = {
    correlationId: usable(headers.correlationId, correlationId),
    requestId: usable(headers.requestId, requestId),
  }
  if (invalidHeaders.length === 0) return { ...goOn(undefined), trace }
  const errors = invalidHeaders.map((field) => ({
    field,
    message: 'has to be 1 to 256 printable ASCII characters',
  }))
  return { ...endWith(invalidRequest(errors)), trace }
}

/** Reads the identity from the plain headers. Only a gateway may be able to send them. */
export function plainIdentity(request: Request): Step<Identity> {
  const read = (name: string) => request.headers.get(name) || undefined
  // Subject and issuer are part of keys in the store.
  const tooLong = [headers.actorSubject, headers.actorIssuer].find((name) => !isStorable(read(name) ?? ''))
  if (tooLong !== undefined) return endWith(invalidAt(tooLong, 'has to be 1 to 512 bytes'))
  return goOn({
    tenant: read(headers.tenantId),
    subject: read(headers.actorSubject),
    issuer: read(headers.actorIssuer),
    actor: read(headers.actorPrincipal),
    roles: readRoles(read(headers.actorRoles)),
    bodyDigest: undefined,
  })
}

/** Reads the caller of a request. Without a gateway there is no tenant; then `defaultTenant` applies. */
export function readCaller(
  request: Request,
  identity: Identity,
  defaultTenant: string | undefined,
): Step<Caller> {
  const read = (name: string) => request.headers.get(name) || undefined
  const tenant = identity.tenant ?? defaultTenant
  if (tenant === undefined) return endWith(refusal('TENANT_REQUIRED'))
  if (!TENANT.test(tenant)) return endWith(refusal('TENANT_UNKNOWN'))
  const key = read(headers.idempotencyKey)
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
    return endWith(invalidAt(headers.idempotencyKey, 'has to be 1 to 255 printable ASCII characters'))
  }
  return goOn({
    ...identity,
    tenant,
    actor: identity.actor ?? identity.subject ?? '',
    idempotencyKey: key,
    approvalToken: read(headers.approvalToken),
    authorization: read(headers.authorization),
    traceparent: read(headers.traceparent),
    prefersAsync: prefersAsync(read('prefer')),
    via: readVia(read(headers.via)),
  })
}

function readRoles(value = ''): readonly string[] {
  return value
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '')
}

/** RFC 7240: commas separate preferences, semicolons their parameters; names are case-insensitive. */
function prefersAsync(value = ''): boolean {
  return value
    .split(',')
    .some((preference) => preference.split(';', 1)[0]?.trim().toLowerCase() === 'respond-async')
}
