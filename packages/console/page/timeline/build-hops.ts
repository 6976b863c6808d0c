import type { AuditRecord } from '../api/audit-records.ts'
import { nameOutcome } from '../api/name-outcome.ts'
import { outcomeLabel } from '../shell/outcome-family.ts'

/** What one part recorded of a request. Times are milliseconds since 1970. */
export interface Span {
  readonly record: AuditRecord
  readonly part: string
  readonly operation: string
  readonly startMs: number
  readonly endMs: number
  /** The typed outcome where the record has one. */
  readonly outcome: string
  readonly status: number | undefined
}

/** One request on its way: through a gateway, if one recorded it, to a service, if that recorded it. */
export interface Hop {
  readonly requestId: string
  readonly gateway: Span | undefined
  readonly service: Span | undefined
  /** How work in the background ended, and whatever else was recorded of the request. */
  readonly later: readonly Span[]
  readonly startMs: number
  readonly endMs: number
  /** The requests that the service made while it worked on this one. */
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
// Times of two processes on one machine, rounded to milliseconds, may cross by this much.
const TOLERANCE_MS = 3

/** Joins the records of one correlation id to the requests they tell of, each below the one that caused it. */
export function buildHops(records: readonly AuditRecord[]): Hop[] {
  const drafts: Draft[] = []
  for (const record of records.toSorted(byTime)) place(record, drafts)
  return nest(drafts.toSorted((a, b) => a.startMs - b.startMs || b.endMs - a.endMs))
}

/** The outcome that the caller of a hop saw. */
export function seenOutcome({ gateway, service, later }: Hop): string {
  return (gateway ?? service ?? later[0])?.outcome ?? ''
}

/** What the service of a hop gave in the end, in the background too. */
export function givenSpan({ gateway, service, later }: Hop): Span | undefined {
  const ended = later.findLast(({ record }) => record.eventType === ENDED)
  return ended ?? service ?? gateway ?? later[0]
}

/** The outcome that the service of a hop gave in the end. */
export function givenOutcome(hop: Hop): string {
  return givenSpan(hop)?.outcome ?? ''
}

/** What a hop is about: the operation as the gateway calls it, else as the service does. */
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
    (draft) => draft.requestId === requestId && !(isAnswer && isTaken(draft, span)),
  )
  if (home === undefined) {
    const [service, later] = isAnswer ? [span, []] : [undefined, [span]]
    drafts.push({ requestId, gateway: undefined, service, later, ...timesOf(span) })
    return
  }
  if (isAnswer) home.service = { ...span, startMs: Math.min(span.startMs, Math.max(home.startMs, 0)) }
  else home.later.push(span)
  home.endMs = Math.max(home.endMs, span.endMs)
}

/** Whether a hop has its service already, or was over before this one answered. */
function isTaken({ service, gateway }: Draft, { endMs }: Span): boolean {
  if (service !== undefined) return true
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

function outcomeIn(record: AuditRecord): Pick<Span, 'outcome' | 'status'> {
  const { attributes, outcome } = record
  const named = [attributes.get('outcome_label'), attributes.get('outcome_type'), outcome]
  const name = String(named.find((each) => typeof each === 'string'))
  const status = numberIn(record, 'status')
  return {
    // A service records `error` for all that is none of the other outcomes; its status says what it was.
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

/** Puts each hop below the shortest one that was at work when it began. */
function nest(drafts: readonly Draft[]): Hop[] {
  const children = new Map<Draft | undefined, Draft[]>()
  for (const draft of drafts) {
    const parent = shortestCause(drafts, draft)
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [draft])
    else siblings.push(draft)
  }
  const finish = (draft: Draft): Hop => ({ ...draft, children: (children.get(draft) ?? []).map(finish) })
  return (children.get(undefined) ?? []).map(finish)
}

// One pass without a list of its own: a thousand records of one exchange are a million pairs.
function shortestCause(drafts: readonly Draft[], child: Draft): Draft | undefined {
  let shortest: Draft | undefined
  for (const other of drafts) {
    // They are in the order of their beginning, and none of the rest had begun.
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

/** Two requests of one actor at one gateway are that actor's own, even at the same time: polling, for one. */
function isSameCaller(a: Draft, b: Draft): boolean {
  if (a.gateway === undefined || b.gateway === undefined) return false
  return a.gateway.part === b.gateway.part && a.gateway.record.actorId === b.gateway.record.actorId
}

function lengthOf({ startMs, endMs }: Draft): number {
  return endMs - startMs
}
