import type { Approval } from './approval.ts'
import { hasAsked, stateOf, type TokenOwner, waitsFor } from './rules.ts'

/** A route of a gateway. */
export interface ListedRoute {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly target?: string | null | undefined
}

/** A route that lists the approvals of a service. */
export interface ApprovalService {
  readonly routeId: string
  /** The path of the list; the operations on an approval are below it. */
  readonly path: string
  /** The address of the service; null for several. */
  readonly target: string | null
}

/** The services with a list of approvals, by their routes. */
export function findServices(routes: readonly ListedRoute[]): ApprovalService[] {
  return routes
    .filter(({ method, path }) => method === 'GET' && path.endsWith('/approvals') && !path.includes('{'))
    .map(({ id, path, target = null }) => ({ routeId: id, path, target }))
}

/** The states after `pending`. */
export const closedStates = ['approved', 'used', 'rejected', 'expired', 'withdrawn'] as const

/** A state that a service lists. */
export type ListedState = 'pending' | (typeof closedStates)[number]

/** The approvals in one state of one service, as read last. */
export interface Source {
  readonly service: ApprovalService
  readonly state: ListedState
  readonly approvals: readonly Approval[]
  readonly hasMore: boolean
  /** The error of the last reading; empty for none. */
  readonly fault: string
}

/** An approval and the service that decides it. */
export interface Listed {
  readonly approval: Approval
  readonly service: ApprovalService
}

/** The lists of the view. */
export const listNames = ['waiting', 'asked', 'decided'] as const

/** One of the lists of the view. */
export type ListName = (typeof listNames)[number]

/** The names of the lists, and what an empty one says. */
export const listWords: Readonly<Record<ListName, { readonly title: string; readonly empty: string }>> = {
  waiting: { title: 'Waits for me', empty: 'Nothing waits for you.' },
  asked: { title: 'I asked for', empty: 'You have asked for nothing.' },
  decided: { title: 'Decided', empty: 'Nothing has been decided.' },
}

/** All approvals of the sources, newest first. One that several routes or gateways list is there once. */
export function mergeSources(sources: readonly Source[]): Listed[] {
  const found = new Map<string, Listed>()
  for (const { service, approvals } of sources)
    for (const approval of approvals) {
      const key = identityOf(approval)
      const before = found.get(key)
      // A source that was read later may know of more decisions.
      if (before === undefined || isFurther(approval, before.approval)) found.set(key, { approval, service })
    }
  return [...found.values()].toSorted(byNewest)
}

// The id alone is chosen by the service: another service must not hide an approval by reusing it.
function identityOf({ approvalId, digest, operation, requester, createdAt }: Approval): string {
  return JSON.stringify([approvalId, digest, operation, requester, createdAt])
}

function isFurther(approval: Approval, before: Approval): boolean {
  if (before.state === 'pending' && approval.state !== 'pending') return true
  return approval.state === before.state && approval.decisions.length > before.decisions.length
}

function byNewest(left: Listed, right: Listed): number {
  const [a, b] = [left.approval, right.approval]
  return compare(b.createdAt, a.createdAt) || compare(a.approvalId, b.approvalId)
}

function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The approvals of a list. */
export function pickList(all: readonly Listed[], name: ListName, look: Look): Listed[] {
  return all.filter(({ approval }) => belongsTo[name](approval, look))
}

const belongsTo: Readonly<Record<ListName, (approval: Approval, look: Look) => boolean>> = {
  waiting: (approval, { me, now }) => waitsFor(approval, me, now),
  asked: (approval, { me }) => hasAsked(approval, me),
  decided: (approval, { now }) => stateOf(approval, now) !== 'pending',
}

/** The person who looks, and when. */
export interface Look {
  readonly me: TokenOwner
  readonly now: number
}

/** The number of approvals that wait for the person: `3`, `50+` if there may be more, empty for none. */
export function countWaiting(sources: readonly Source[], look: Look): string {
  const open = sources.filter(({ state }) => state === 'pending')
  const count = pickList(mergeSources(open), 'waiting', look).length
  if (count === 0) return ''
  return open.some(({ hasMore }) => hasMore) ? `${count}+` : String(count)
}

/** The services that failed, each with its error once. */
export function faultsOf(sources: readonly Source[]): { service: ApprovalService; fault: string }[] {
  const faults = new Map<string, { service: ApprovalService; fault: string }>()
  for (const { service, fault } of sources) if (fault !== '') faults.set(service.routeId, { service, fault })
  return [...faults.values()]
}

/** Reads the name of a list in the query of an address. */
export function readListName(query: string): ListName {
  const name = new URLSearchParams(query).get('list')
  return listNames.find((each) => each === name) ?? 'waiting'
}
