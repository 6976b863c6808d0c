import type { AuditRecord } from '../api/audit-records.ts'
import { nameOutcome, STREAMED } from '../api/name-outcome.ts'
import { outcomeLabel } from '../shell/outcome-family.ts'
import { isStream } from './stream-facts.ts'

/** The record of one part about a request. Times are milliseconds since 1970. */
export interface Span {
  readonly record: AuditRecord
  readonly part: string
  readonly operation: string
  readonly startMs: number
  readonly endMs: number
  /** The typed outcome, if the record has one. */
  readonly outcome: string
  readonly status: number | undefined
}

/** One request, with the records of its gateway and its service, if they exist. */
export interface Hop {
  readonly requestId: string
  readonly gateway: Span | undefined
  readonly service: Span | undefined
  /** The end of a background operation, and other records of the request. */
  readonly later: readonly Span[]
  readonly startMs: number
  readonly endMs: number
  /** The requests that the service sent during this one. */
  readonly children: readonly Hop[]
}

interface Draft extends Omit<Hop, 'children' | 'service' | 'later'> {
  service: Span | undefined
  later: Span[]
  endMs: number
}

const STARTS = /^agentic\.request(\.|$)/
const WRITTEN = 'agentic.response.written'
const ENDED = 'agentic.operation.finished'
// Clock tolerance between two processes of one machine, with times in milliseconds.
const TOLERANCE_MS = 3

/** Builds the tree of requests from the records of one correlation id. */
export function buildHops(records: readonly AuditRecord[]): Hop[] {
  const drafts: Draft[] = []
  for (const record of records.toSorted(byTime)) place(record, drafts)
  return nest(drafts.toSorted((a, b) => a.startMs - b.startMs || b.endMs - a.endMs))
}

/** The record with the outcome for the caller of a hop. */
export function seenSpan({ gateway, service, later }: Hop): Span | undefined {
  // A gateway does not read the last frame of a stream, which has the outcome.
  const isInFrame = gateway?.outcome === STREAMED && service !== undefined && isStream(service.record)
  return isInFrame ? service : (gateway ?? service ?? later[0])
}

/** The outcome for the caller of a hop. */
export function seenOutcome(hop: Hop): string {
  return seenSpan(hop)?.outcome ?? ''
}

/** Whether a record tells the end of background work. */
export function isEnd({ record }: Span): boolean {
  return record.eventType === ENDED
}

/** The final record of the service of a hop, also from the background. */
export function givenSpan({ gateway, service, later }: Hop): Span | undefined {
  const ended = later.findLast(isEnd)
  return ended ?? service ?? gateway ?? later[0]
}

/** The final outcome of the service of a hop. */
export function givenOutcome(hop: Hop): string {
  return givenSpan(hop)?.outcome ?? ''
}

/** The title of a hop: the operation in the record of the gateway, otherwise of the service. */
export function operationOf({ gateway, service, later }: Hop): string {
  return (gateway ?? service ?? later[0])?.operation ?? ''
}

function place(record: AuditRecord, drafts: Draft[]): void {
  const span = spanOf(record)
  const { requestId } = record
  if (STARTS.test(record.eventType)) {
    drafts.push({ requestId, gateway: span, service: undefined, later: [], ...timesOf(span) })
    return
  }
  const isAnswer = record.eventType === WRITTEN
  const home = drafts.findLast(
    (draft) =>
      draft.requestId === requestId && isSameTenant(draft, record) && !(isAnswer && isTaken(draft, span)),
  )
  if (home === undefined) {
    const [service, later] = isAnswer ? [span, []] : [undefined, [span]]
    drafts.push({ requestId, gateway: undefined, service, later, ...timesOf(span) })
    return
  }
  if (isAnswer) home.service = { ...span, startMs: Math.min(span.startMs, Math.max(home.startMs, 0)) }
  else home.later.push(record.eventType === ENDED ? sinceAnswer(span, home) : span)
  home.endMs = Math.max(home.endMs, span.endMs)
}

/** Two tenants may have sent the same ids. */
function isSameTenant({ gateway, service, later }: Draft, { tenantId }: AuditRecord): boolean {
  const known = (gateway ?? service ?? later[0])?.record.tenantId
  return known === tenantId || known === '' || tenantId === ''
}

/** The time of background work: from the answer of its request to its end. */
function sinceAnswer(span: Span, { gateway, service }: Draft): Span {
  const answeredMs = (gateway ?? service)?.endMs ?? span.startMs
  return { ...span, startMs: Math.min(answeredMs, span.endMs) }
}

/** Whether a hop already has a service record, or ended before this one answered. A service ends its stream after a client left. */
function isTaken({ service, gateway }: Draft, { endMs, record }: Span): boolean {
  if (service !== undefined) return true
  if (isStream(record)) return false
  const isOver = gateway !== undefined && gateway.endMs > gateway.startMs
  return isOver && gateway.endMs + TOLERANCE_MS < endMs
}

function spanOf(record: AuditRecord): Span {
  const startedAt = record.attributes.get('started_at')
  const atMs = Date.parse(typeof startedAt === 'string' ? startedAt : record.timestamp) || 0
  const durationMs = numberIn(record, 'duration_ms') ?? 0
  // The record of a gateway has the time of arrival, the record of a service the time of its answer (decision 22).
  const isStart = STARTS.test(record.eventType)
  return {
    record,
    part: record.part,
    operation: record.operation,
    startMs: isStart ? atMs : atMs - durationMs,
    endMs: isStart ? atMs + durationMs : atMs,
    ...outcomeIn(record),
  }
}

/** The typed outcome of a record. The profile's `outcome` of a gateway tells less. */
export function outcomeIn(record: AuditRecord): Pick<Span, 'outcome' | 'status'> {
  const { attributes, outcome } = record
  const named = [attributes.get('outcome_label'), attributes.get('outcome_type'), outcome]
  const name = String(named.find((each) => typeof each === 'string'))
  const status = numberIn(record, 'status')
  return {
    // A service records `error` for several conditions; the status identifies the condition.
    outcome: nameOutcome(outcomeLabel(name, status ?? 0), attributes.get('streamed') === 'true'),
    status,
  }
}

function numberIn({ attributes }: AuditRecord, name: string): number | undefined {
  const value = attributes.get(name)
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

function timesOf({ startMs, endMs }: Span): Pick<Draft, 'startMs' | 'endMs'> {
  return { startMs, endMs }
}

function byTime(a: AuditRecord, b: AuditRecord): number {
  return Date.parse(a.timestamp) - Date.parse(b.timestamp)
}

/** Puts each hop below the hop whose service sent it. */
function nest(drafts: readonly Draft[]): Hop[] {
  const bySpan = new Map(drafts.map((draft) => [attributeOf(draft, 'span_id') ?? draft, draft]))
  const parents = new Map<Draft, Draft>()
  const children = new Map<Draft | undefined, Draft[]>()
  for (const draft of drafts) {
    const parent = senderOf(draft, bySpan, parents) ?? guessedSender(draft, drafts, parents)
    if (parent !== undefined) parents.set(draft, parent)
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [draft])
    else siblings.push(draft)
  }
  const finish = (draft: Draft): Hop => ({ ...draft, children: (children.get(draft) ?? []).map(finish) })
  return (children.get(undefined) ?? []).map(finish)
}

/** The hop of the span in the request's `traceparent`, which gateways set and services pass on. */
function senderOf(
  child: Draft,
  bySpan: ReadonlyMap<unknown, Draft>,
  parents: ReadonlyMap<Draft, Draft>,
): Draft | undefined {
  const span = attributeOf(child, 'parent_span_id')
  const parent = span === undefined ? undefined : bySpan.get(span)
  return parent === undefined || isBelow(parent, child, parents) ? undefined : parent
}

/** By time, if the records do not tell. Requests of the client are below none. */
function guessedSender(
  child: Draft,
  drafts: readonly Draft[],
  parents: ReadonlyMap<Draft, Draft>,
): Draft | undefined {
  if (isOfClient(child)) return undefined
  const parent = shortestCause(drafts, child)
  return parent === undefined || isBelow(parent, child, parents) ? undefined : parent
}

/** A gateway saw no span of a gateway in the request, and no account of a service. */
function isOfClient(draft: Draft): boolean {
  if (attributeOf(draft, 'span_id') === undefined) return false
  return (
    attributeOf(draft, 'parent_span_id') === undefined && attributeOf(draft, 'service_account') !== 'true'
  )
}

/** Records are written by others: spans in a circle would hide their hops. */
function isBelow(hop: Draft, other: Draft, parents: ReadonlyMap<Draft, Draft>): boolean {
  for (let above: Draft | undefined = hop; above !== undefined; above = parents.get(above))
    if (above === other) return true
  return false
}

function attributeOf({ gateway }: Draft, name: string): unknown {
  return gateway?.record.attributes.get(name)
}

// One pass without temporary lists: a thousand records give a million pairs.
function shortestCause(drafts: readonly Draft[], child: Draft): Draft | undefined {
  let shortest: Draft | undefined
  for (const other of drafts) {
    // Sorted by start, so no later hop had started.
    if (other.startMs > child.startMs) break
    const isShorter = shortest === undefined || lengthOf(other) < lengthOf(shortest)
    if (isShorter && isCause(other, child)) shortest = other
  }
  return shortest
}

function isCause(parent: Draft, child: Draft): boolean {
  if (parent === child || isSameCaller(parent, child)) return false
  if (parent.startMs === child.startMs && lengthOf(parent) <= lengthOf(child)) return false
  return parent.startMs <= child.startMs && child.startMs <= parent.endMs
}

/** Requests of one actor at one gateway, for example polls, are beside each other. */
function isSameCaller(parent: Draft, child: Draft): boolean {
  const isSameActor = actorOf(parent) === actorOf(child)
  if (child.gateway === undefined) {
    // The gateway has forgotten its part of this request. A caller that was answered polls, or goes on.
    return isSameActor && child.startMs > (parent.service ?? parent.gateway ?? parent).endMs
  }
  return isSameActor && parent.gateway?.part === child.gateway.part
}

function actorOf({ gateway, service, later }: Draft): string | undefined {
  return (gateway ?? service ?? later[0])?.record.actorId
}

function lengthOf({ startMs, endMs }: Draft): number {
  return endMs - startMs
}
