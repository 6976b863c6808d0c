import type { OutcomeType } from '@agentic-rest/profile'
import { type Hop, operationOf, seenOutcome } from './build-hops.ts'
import { requestOf } from './hop-requests.ts'

/** A hop, or several similar hops as one. */
export interface Folded {
  /** The newest one. */
  readonly hop: Hop
  readonly hops: readonly Hop[]
  readonly count: number
  readonly kind: 'request' | 'polls' | 'repeats'
}

const FOLD_FROM = 3

/** Folds the polls of work or of an approval, and at least three other consecutive requests that differ only in their time. */
export function foldHops(hops: readonly Hop[]): Folded[] {
  const polls = findPolls(hops)
  const groups: { readonly key: string | undefined; readonly hops: Hop[] }[] = []
  for (const hop of hops) {
    const key = polls.get(hop)
    const last = groups.at(-1)
    const known = key === undefined ? undefined : groups.find((group) => group.key === key)
    if (known !== undefined) known.hops.push(hop)
    else if (key === undefined && last?.key === undefined && isRepeated(last?.hops.at(-1), hop))
      last?.hops.push(hop)
    else groups.push({ key, hops: [hop] })
  }
  return groups.flatMap((group) => foldGroup(group.hops, group.key !== undefined))
}

function foldGroup(hops: readonly Hop[], isPolls: boolean): Folded[] {
  if (!isPolls && hops.length < FOLD_FROM)
    return hops.map((hop) => ({ hop, hops: [hop], count: 1, kind: 'request' }))
  const kind = isPolls ? 'polls' : 'repeats'
  return hops.slice(-1).map((hop) => ({ hop, hops, count: hops.length, kind }))
}

const waits: ReadonlySet<string> = new Set<OutcomeType>(['accepted', 'approval_required'])

// The profile's path of a status, and the SDK's path of an approval.
const POLLED = /\/status$|\/approvals\/[^/]+$/

/** The polls, each with the key of its group: GET requests after an answer that made the client wait. */
function findPolls(hops: readonly Hop[]): Map<Hop, string> {
  const first = hops.findIndex((hop) => waits.has(seenOutcome(hop)))
  const asked = first === -1 ? [] : hops.slice(first + 1).filter(isRead)
  const counts = new Map<string, number>()
  for (const hop of asked) counts.set(targetOf(hop), (counts.get(targetOf(hop)) ?? 0) + 1)
  const polls = asked.filter(
    (hop) => POLLED.test(requestOf(hop).path) || (counts.get(targetOf(hop)) ?? 0) >= FOLD_FROM,
  )
  return new Map(polls.map((hop) => [hop, `${targetOf(hop)} ${seenOutcome(hop)}`]))
}

function isRead(hop: Hop): boolean {
  return hop.children.length === 0 && requestOf(hop).method === 'GET'
}

function targetOf(hop: Hop): string {
  const { path, actor } = requestOf(hop)
  return `${path} ${actor}`
}

function isRepeated(a: Hop | undefined, b: Hop): boolean {
  return (
    a !== undefined &&
    a.children.length + b.children.length === 0 &&
    operationOf(a) === operationOf(b) &&
    a.gateway?.record.actorId === b.gateway?.record.actorId &&
    seenOutcome(a) === seenOutcome(b)
  )
}
