import { callOfRecord } from '../api/mcp-call.ts'
import type { EndedWork, RequestGroup } from '../api/recent-exchanges.ts'
import { type Hop, isEnd, type Span, seenOutcome, seenSpan } from './build-hops.ts'

/** The requests of the client, as the list of exchanges has them. */
export function requestsOf(hops: readonly Hop[]): RequestGroup[] {
  return hops.map(requestOf)
}

/** One hop as a request. A hop without a record of its gateway has neither method nor path. */
export function requestOf(hop: Hop): RequestGroup {
  const span = hop.gateway ?? hop.service ?? hop.later[0]
  return {
    requestId: hop.requestId,
    method: textIn(span, 'method'),
    path: textIn(span, 'path'),
    route: span?.operation ?? '',
    tenant: span?.record.tenantId ?? '',
    actor: span?.record.actorId ?? '',
    status: seenSpan(hop)?.status ?? 0,
    outcome: seenOutcome(hop),
    code: '',
    inner: false,
    mcp: span === undefined ? null : callOfRecord(span.record.attributes),
    startMs: hop.startMs,
    lastStartMs: hop.startMs,
    endMs: (hop.gateway ?? hop.service ?? hop).endMs,
    count: 1,
  }
}

/** The recorded ends of background work. */
export function endsOf(hops: readonly Hop[]): EndedWork[] {
  return hops.flatMap(({ requestId, later }) =>
    later.filter(isEnd).map(({ record, outcome, status = 0, endMs }) => ({
      requestId,
      tenant: record.tenantId,
      outcome,
      status,
      atMs: endMs,
    })),
  )
}

function textIn(span: Span | undefined, name: string): string {
  const value = span?.record.attributes.get(name)
  return typeof value === 'string' ? value : ''
}
