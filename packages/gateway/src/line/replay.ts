import {
  headerKeys,
  headers as headerNames,
  isBareTrace,
  isJsonType,
  mediaTypeEssence,
  type Trace,
} from '@agentic-rest/profile'
import type { Exchange, KeptAnswer, StepResult } from '../exchange.ts'
import { MemberReader } from '../limits/usage/json-members.ts'
import { joinedHeader, returnedHeaders } from '../upstream/returned-headers.ts'
import { untilFlushed } from './deliver.ts'
import type { Parts } from './parts.ts'

/** Answers a retry with the stored answer of its first request, under the trace of the retry. */
export async function replay(exchange: Exchange, kept: KeptAnswer, { snapshot }: Parts): Promise<StepResult> {
  const { reply, trace } = exchange
  const { status } = kept
  const essence = mediaTypeEssence(joinedHeader(kept.headers, headerKeys.contentType))
  const stored = Buffer.from(kept.body, 'latin1')
  const bytes = isJsonType(essence) ? withTrace(stored, trace) : stored
  exchange.heldBytes?.add(bytes.length)
  exchange.replayed = true
  exchange.step = 'deliver'
  if (reply.isClosed) {
    exchange.delivery = { status, essence, end: 'client_disconnect' }
    return undefined
  }
  const ownsCors = snapshot.config.gateway.cors !== undefined
  const headers = returnedHeaders(exchange, { status, rawHeaders: kept.headers }, { ownsCors, stream: false })
  headers.push(headerNames.idempotencyReplayed, 'true', 'Content-Length', String(bytes.length))
  if (exchange.trail !== undefined) exchange.sentHeaders = headers
  reply.head(status, headers)
  reply.end(bytes)
  const end = reply.isFlushed ? 'complete' : await untilFlushed(exchange)
  exchange.trail?.end('deliver')
  exchange.delivery = { status, essence, end }
  return undefined
}

/** Puts the ids of the retry into the member `trace`, where the body has one. All other bytes stay: numbers keep their digits. */
export function withTrace(body: Buffer, { correlationId, requestId }: Trace): Buffer {
  const reader = new MemberReader(['trace'])
  reader.chunk(body)
  const span = reader.span('trace')
  if (span === undefined || !reader.isComplete || !isBareTrace(reader.value('trace'))) return body
  const text = JSON.stringify({ correlationId, requestId })
  return Buffer.concat([body.subarray(0, span.start), Buffer.from(text), body.subarray(span.end)])
}
