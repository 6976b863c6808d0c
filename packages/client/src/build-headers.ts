import { headers, outcomes } from '@agentic-rest/profile'
import type { ClientRequest } from './client-request.ts'
import { createId } from './create-id.ts'
import type { Settings } from './settings.ts'

type OwnSettings = Pick<Settings, 'headers' | 'tenantId' | 'correlationId'>

/** The headers of a request without token and request id. Later entries override earlier ones. */
export function buildHeaders(settings: OwnSettings, request: ClientRequest): Headers {
  const fields = new Headers()
  const set = (name: string, value: string | undefined) => value && fields.set(name, value)
  for (const [name, value] of Object.entries(settings.headers)) fields.set(name, String(value))
  set(headers.tenantId, settings.tenantId)
  set(headers.correlationId, settings.correlationId)
  for (const [name, value] of Object.entries(request.headers ?? {})) fields.set(name, String(value))
  set(headers.tenantId, request.tenantId)
  set(headers.correlationId, request.correlationId)
  set(headers.idempotencyKey, request.idempotencyKey)
  set(headers.approvalToken, request.approvalToken)
  if (request.preferAsync) fields.append('Prefer', 'respond-async')
  if (!fields.get(headers.correlationId)) fields.set(headers.correlationId, createId())
  if (request.body !== undefined && !fields.has(headers.contentType))
    fields.set(headers.contentType, outcomes.success.mediaType)
  return fields
}
