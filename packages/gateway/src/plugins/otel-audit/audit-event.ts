import type { AuditEvent } from '@agentic-rest/profile'
import type { Exchange } from '../../exchange.ts'
import type { AttributeMapping } from './attribute-mapping.ts'

/** The event types of the log line (decision 22). */
export const eventTypes = {
  received: 'agentic.request.received',
  rejected: 'agentic.request.rejected',
} as const

/** One of the event types. */
export type EventType = (typeof eventTypes)[keyof typeof eventTypes]

/** Makes the record of a request before its outcome is known; its timestamp is this moment. */
export function beginEvent(exchange: Exchange, eventType: EventType, mapping: AttributeMapping): AuditEvent {
  const { fields, attributes } = mapping(exchange)
  return {
    event_type: eventType,
    // Only a validated tenant: the header of a request that was refused proves nothing.
    tenant_id: exchange.tenantId ?? '',
    actor_id: exchange.actor,
    request_id: exchange.trace.requestId,
    correlation_id: exchange.trace.correlationId,
    operation: exchange.route?.id ?? '',
    resource_id: lastParameter(exchange.params),
    outcome: '',
    timestamp: new Date().toISOString(),
    ...fields,
    attributes,
  }
}

/** Completes the record when the outcome is known. What the gateway knows wins over what was mapped. */
export function completeEvent(event: AuditEvent, exchange: Exchange): AuditEvent {
  const attributes = { ...event.attributes, ...gatewayAttributes(event, exchange) }
  return { ...event, outcome: isSuccess(exchange) ? 'success' : 'error', attributes }
}

function isSuccess({ result }: Exchange): boolean {
  return result !== undefined && Math.floor(result.status / 100) === 2
}

function gatewayAttributes(event: AuditEvent, { identity, result, violations }: Exchange) {
  const attributes: Record<string, string> = {}
  if (result?.outcomeType !== undefined) attributes['outcome_type'] = result.outcomeType
  if (violations.length > 0) attributes['profile_violations'] = violations.join(',')
  // Compared with what is written, not with what was resolved: no mapping can hide who called (decision 17).
  if (identity !== undefined && identity.subject !== event.actor_id)
    attributes['token_sub'] = identity.subject
  return attributes
}

/** Parameters are in the order of the template; the last one names the resource itself (decision 22). */
export function lastParameter(params: Exchange['params']): string {
  let last = ''
  for (const name in params) last = params[name] ?? ''
  return last
}
