import { type AuditEvent, readClaim } from '@agentic-rest/profile'
import { type MappableField, mappableFields } from '../../config/audit-fields.ts'
import type { AuditAttribute } from '../../config/config-schema.ts'
import { type Exchange, redactedText } from '../../exchange.ts'
import { type ClientAddress, connectionAddress } from '../../listen/client-address.ts'

/** The event types of the log line (decision 22). */
export const eventTypes = {
  received: 'agentic.request.received',
  rejected: 'agentic.request.rejected',
} as const

/** One of the event types. */
export type EventType = (typeof eventTypes)[keyof typeof eventTypes]

/** Creates the record of a request before its outcome is known; its timestamp is now. */
export function beginEvent(exchange: Exchange, eventType: EventType, mapping: AttributeMapping): AuditEvent {
  const { fields, attributes } = mapping(exchange)
  return {
    event_type: eventType,
    // Only the validated tenant: the header of a refused request proves nothing.
    tenant_id: exchange.tenantId ?? '',
    actor_id: exchange.actor,
    request_id: exchange.trace.requestId,
    correlation_id: exchange.trace.correlationId,
    operation: exchange.route?.id ?? UNMATCHED,
    resource_id: lastParameter(exchange.params),
    outcome: '',
    timestamp: isoTime(Date.now()),
    ...fields,
    attributes,
  }
}

const clock = { second: Number.NaN, text: '' }
const SECOND_LENGTH = '2026-01-01T00:00:00'.length

/** The time as in `toISOString`, whose part up to the second is made once a second. */
export function isoTime(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== clock.second) {
    clock.second = second
    clock.text = new Date(now).toISOString().slice(0, SECOND_LENGTH)
  }
  return `${clock.text}.${String(now - second * 1000).padStart(3, '0')}Z`
}

/** The operation of requests that no route matches, as in the metrics. */
const UNMATCHED = 'unmatched'

/** Completes the record when the outcome is known. Attributes of plugins override mapped ones, those of the gateway both. */
export function completeEvent(
  event: AuditEvent,
  exchange: Exchange,
  clientAddress: ClientAddress = connectionAddress,
): AuditEvent {
  const attributes = {
    ...event.attributes,
    ...exchange.auditAttributes,
    ...gatewayAttributes(exchange, clientAddress),
  }
  return { ...event, outcome: isSuccess(exchange) ? 'success' : 'error', attributes }
}

/** Whether the status of the answer is 2xx. */
export function isSuccess({ result }: Exchange): boolean {
  return result !== undefined && Math.floor(result.status / 100) === 2
}

function gatewayAttributes(exchange: Exchange, clientAddress: ClientAddress) {
  const { identity, result, violations, deniedPolicy, limit } = exchange
  const attributes: Record<string, string> = {
    // First: `outcome` of the profile tells less.
    ...(result?.outcomeType !== undefined && { outcome_type: result.outcomeType }),
    status: String(result?.status ?? 0),
    client_address: clientAddress(exchange),
  }
  if (exchange.upstreamStartedAt !== undefined) attributes['upstream'] = exchange.route?.id ?? ''
  addReason(attributes, exchange)
  if (violations.length > 0) attributes['profile_violations'] = violations.join(',')
  if (deniedPolicy !== undefined) attributes['policy'] = deniedPolicy
  if (limit !== undefined) attributes['limit'] = limit
  if (exchange.replayed) attributes['replayed'] = 'true'
  const redacted = redactedText(exchange)
  if (redacted !== undefined) attributes['redacted'] = redacted
  addUsage(attributes, exchange)
  addCall(attributes, exchange)
  if (identity === undefined) return attributes
  // Always, so that neither a header nor a mapping can hide the caller (decision 17).
  attributes['issuer'] = identity.issuer
  attributes['token_sub'] = identity.subject
  return attributes
}

function addReason(attributes: Record<string, string>, { reason, violations }: Exchange): void {
  const rule = reason === undefined ? violations.join(',') : reason.rule
  if (rule !== undefined && rule !== '') attributes['rule'] = rule
  if (reason === undefined) return
  attributes['code'] = reason.code
  attributes['step'] = reason.step
  if (reason.cause !== undefined) attributes['cause'] = reason.cause
}

function addUsage(attributes: Record<string, string>, { usage, costMicro }: Exchange): void {
  if (usage === undefined) return
  attributes['usage_input'] = String(usage.input)
  attributes['usage_output'] = String(usage.output)
  if (costMicro !== undefined) attributes['cost_micro'] = String(costMicro)
}

/** Adds the MCP call of the request. The name of the client is its own word. */
export function addCall(
  attributes: Record<string, string>,
  { mcpCall }: Pick<Exchange, 'mcpCall'>,
): Record<string, string> {
  if (mcpCall === undefined) return attributes
  attributes['via'] = 'mcp'
  attributes['mcp_tool'] = mcpCall.tool
  attributes['mcp_version'] = mcpCall.version
  attributes['mcp_client'] = mcpCall.client.toWellFormed()
  attributes['mcp_round'] = String(mcpCall.round)
  return attributes
}

/** The last path parameter, in the order of the template: it names the resource (decision 22). */
export function lastParameter(params: Exchange['params']): string {
  let last = ''
  for (const name in params) last = params[name] ?? ''
  return last
}

/** Mapped values: some replace a field of the record, the others are free-form attributes. */
export interface MappedValues {
  readonly fields: Partial<Record<MappableField, string>>
  readonly attributes: Record<string, string>
}

/** The parts of a request that a mapping reads. */
export type MappingSource = Pick<Exchange, 'headers' | 'identity' | 'route'>

/** Reads the mapped values of a request; a value without its source is absent. */
export type AttributeMapping = (exchange: MappingSource) => MappedValues

const NOTHING_MAPPED: MappedValues = { fields: Object.freeze({}), attributes: Object.freeze({}) }

type Read = (exchange: MappingSource) => string | undefined

/** Compiles the `attributes` list of the configuration into one function, so that requests parse nothing. */
export function createAttributeMapping(entries: readonly AuditAttribute[]): AttributeMapping {
  if (entries.length === 0) return () => NOTHING_MAPPED
  const rows = entries.map((entry) => ({ field: entry.field, read: reader(entry) }))
  const fieldRows = rows.flatMap(({ field, read }) => (isMappable(field) ? [{ field, read }] : []))
  const attributeRows = rows.filter(({ field }) => !isMappable(field))
  return function mapAttributes(exchange) {
    return { fields: collect(fieldRows, exchange), attributes: collect(attributeRows, exchange) }
  }
}

function collect<Field extends string>(
  rows: readonly { readonly field: Field; readonly read: Read }[],
  exchange: MappingSource,
): Record<Field, string> {
  const values: Record<Field, string> = Object.create(null)
  for (const { field, read } of rows) {
    const value = read(exchange)
    if (value !== undefined) values[field] = value
  }
  return values
}

function reader({ from_header, from_claim }: AuditAttribute): Read {
  if (from_header !== undefined) {
    const key = from_header.toLowerCase()
    return ({ headers }) => headers[key]
  }
  if (from_claim !== undefined) {
    return ({ identity }) => identity && claimText(readClaim(identity.claims, from_claim))
  }
  return ({ route }) => route?.id
}

function claimText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'object' ? jsonText(value) : String(value)
}

/** A claim nested deep enough to overflow the stack must not drop the record (F14). */
function jsonText(value: object): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function isMappable(field: string): field is MappableField {
  return (mappableFields as readonly string[]).includes(field)
}

// JSON escapes characters below U+0020. These three end a line too, for readers such as Python's splitlines.
const LINE_BREAKS = /[\u0085\u2028\u2029]/g

/** Escapes the line breaks that JSON allows in a text. */
export function inOneLine(json: string): string {
  // Hardly any record has one, and a search takes less time than a replacement.
  return json.search(LINE_BREAKS) === -1 ? json : json.replace(LINE_BREAKS, escapeBreak)
}

function escapeBreak(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
