import type { OutcomeType } from '@agentic-rest/profile'
import type { EndedWork, RequestGroup } from '../api/recent-exchanges.ts'
import { type Family, familyOf, outcomeLabel, outcomeWords } from '../shell/outcome-family.ts'

/** The state of an exchange, as its title shows it. */
export interface ExchangeState {
  /** `waiting` for a person, `running` in the background, or `ended`. */
  readonly kind: 'waiting' | 'running' | 'ended'
  readonly words: string
  readonly family: Family
  readonly outcome: string
  readonly status: number | undefined
  /** The time of background work; without an end while it runs. */
  readonly background: { readonly startMs: number; readonly endMs: number | undefined } | undefined
}

/** An exchange in one line. */
export interface ExchangeTitle {
  /** The method and the route of the first request. */
  readonly name: string
  readonly state: ExchangeState
  /** The request that decides the state, if it is not one for the operation in the name. */
  readonly decidedBy: string | undefined
}

/**
 * The name of an exchange and its real state. The state is that of the operation in the first request: polls, approvals
 * and other requests do not change it. Another operation decides only while it waits or runs and the first has ended.
 * Any client can send the correlation id of another, so only requests of the first tenant decide.
 */
export function titleOf(
  requests: readonly RequestGroup[],
  ended: readonly EndedWork[],
): ExchangeTitle | undefined {
  const sent = requests.filter(({ inner }) => !inner)
  const ofClient = (sent.length === 0 ? requests : sent).toSorted((a, b) => a.startMs - b.startMs)
  const [first] = ofClient
  if (first === undefined) return undefined
  const tenant = ofClient.find((request) => request.tenant !== '')?.tenant ?? ''
  const ofTenant = ofClient.filter((request) => request.tenant === tenant)
  const newest = newestRounds(ofTenant)
  const facts = { requests: ofTenant, ended: ended.filter((end) => [tenant, ''].includes(end.tenant)) }
  const key = operationKey(first)
  const own = stateOf(newest.get(key) ?? newestRounds(ofClient).get(key) ?? first, facts)
  const title = { name: requestName(first), state: own, decidedBy: undefined }
  if (own.kind !== 'ended') return title
  for (const round of newest.values()) {
    const state = stateOf(round, facts)
    if (round.actor === first.actor && state.kind !== 'ended')
      return { ...title, state, decidedBy: requestName(round) }
  }
  return title
}

/** The method and the route of a request; the path, if it has no route. */
export function requestName({
  method,
  route,
  path,
}: Pick<RequestGroup, 'method' | 'route' | 'path'>): string {
  const target = route === '' || route === UNMATCHED ? path || route : route
  // The id of a route may be its method and its template.
  return method === '' || target.startsWith(`${method} `) ? target : `${method} ${target}`
}

const UNMATCHED = 'unmatched'

/** The newest request for each method and path. */
function newestRounds(requests: readonly RequestGroup[]): Map<string, RequestGroup> {
  const newest = new Map<string, RequestGroup>()
  for (const request of requests) {
    const key = operationKey(request)
    const known = newest.get(key)
    if (known === undefined || request.lastStartMs >= known.lastStartMs) newest.set(key, request)
  }
  return newest
}

/** Requests with the same key are rounds of one operation. */
export function operationKey({
  method,
  path,
  route,
}: Pick<RequestGroup, 'method' | 'path' | 'route'>): string {
  return `${method} ${path || route}`
}

const ACCEPTED = 'accepted' satisfies OutcomeType
const APPROVAL = 'approval_required' satisfies OutcomeType
const CLARIFICATION = 'clarification_required' satisfies OutcomeType

interface Facts {
  readonly requests: readonly RequestGroup[]
  readonly ended: readonly EndedWork[]
}

function stateOf(round: RequestGroup, facts: Facts): ExchangeState {
  if (round.outcome === ACCEPTED) return backgroundState(round, facts)
  if (round.outcome === APPROVAL) return approvalState(round, facts)
  return plainState(round)
}

function plainState({ outcome, status }: Pick<RequestGroup, 'outcome' | 'status'>): ExchangeState {
  const label = outcomeLabel(outcome, status)
  const shared = {
    outcome: label,
    status: status || undefined,
    family: familyOf(label),
    background: undefined,
  }
  switch (label) {
    case APPROVAL:
      return { ...shared, kind: 'waiting', words: 'waiting for approval' }
    case CLARIFICATION:
      return { ...shared, kind: 'waiting', words: 'waiting for input' }
    case ACCEPTED:
      return { ...shared, kind: 'running', words: 'running in the background' }
    default:
      return { ...shared, kind: 'ended', words: outcomeWords(label) || 'no outcome' }
  }
}

// The paths of the service SDK. Other services decide about approvals elsewhere, and then the exchange waits.
const DECISION = /\/approvals\/[^/]+\/(?:approve|reject)$/
const REJECTION = /\/reject$/
const CANCELLATION = /\/cancel$/

function approvalState(round: RequestGroup, { requests }: Facts): ExchangeState {
  const waits = plainState(round)
  const decision = newestDone(requests, round, DECISION)
  if (decision === undefined) return waits
  if (REJECTION.test(decision.path))
    return { ...waits, kind: 'ended', words: 'approval rejected', family: 'refused' }
  return { ...waits, words: 'approved, not sent again' }
}

function backgroundState(round: RequestGroup, { requests, ended }: Facts): ExchangeState {
  const startMs = round.endMs
  const end = ended.findLast(({ requestId }) => requestId === round.requestId)
  if (end !== undefined) return { ...plainState(end), background: { startMs, endMs: end.atMs } }
  const running = plainState(round)
  const cancelled = newestDone(requests, round, CANCELLATION)
  if (cancelled === undefined) return { ...running, background: { startMs, endMs: undefined } }
  const background = { startMs, endMs: cancelled.endMs }
  return { ...running, kind: 'ended', words: 'cancelled', family: 'refused', background }
}

/** The newest successful request for a path like this since a round. */
function newestDone(
  requests: readonly RequestGroup[],
  round: RequestGroup,
  path: RegExp,
): RequestGroup | undefined {
  return requests
    .filter((each) => path.test(each.path) && each.lastStartMs >= round.lastStartMs && isDone(each))
    .toSorted((a, b) => a.lastStartMs - b.lastStartMs)
    .at(-1)
}

function isDone({ status }: RequestGroup): boolean {
  return Math.floor(status / 100) === 2
}
