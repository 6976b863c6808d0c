import {
  type Approval,
  type ApprovalRequest,
  countApproved,
  hasAsked,
  type TokenOwner,
  whyNotDecide,
} from '@agentic-rest/profile/approval'
import { formatMs, knownTime } from '../shell/format.ts'
import type { Family } from '../shell/outcome-family.ts'

/** The state of an approval now: a pending one expires between two looks. */
export function stateOf({ state, expiresAt }: Approval, now: number): string {
  const end = knownTime(expiresAt)
  return state === 'pending' && end !== undefined && end <= now ? 'expired' : state
}

/** Whether an approval waits for a decision of the person. */
export function waitsFor(approval: Approval, me: TokenOwner, now: number): boolean {
  return stateOf(approval, now) === 'pending' && whyNotDecide(approval, me) === ''
}

/** Whether the person may withdraw it: its own, not rejected, used or over. */
export function mayWithdraw(approval: Approval, me: TokenOwner, now: number): boolean {
  return hasAsked(approval, me) && ['pending', 'approved'].includes(stateOf(approval, now))
}

/** The displayed name and colour of a state. */
export interface StateView {
  readonly words: string
  readonly family: Family
}

const stateViews: ReadonlyMap<string, StateView> = new Map([
  ['pending', { words: 'waits for a decision', family: 'asks' }],
  ['approved', { words: 'approved, not used yet', family: 'done' }],
  ['used', { words: 'approved and used', family: 'done' }],
  ['rejected', { words: 'rejected', family: 'refused' }],
  ['expired', { words: 'expired', family: 'failed' }],
  ['withdrawn', { words: 'withdrawn', family: 'background' }],
])

/** The displayed state of an approval. */
export function viewState(approval: Approval, now: number): StateView {
  const state = stateOf(approval, now)
  const view = stateViews.get(state) ?? { words: state || 'unknown', family: 'background' }
  const approved = countApproved(approval)
  if (state !== 'pending' || approved === 0) return view
  return { ...view, words: `${approved} of ${approval.quorum} approvals` }
}

/** The time of the decision that ended the wait; empty while it is open, and for an end without a decision. */
export function decidedAt(approval: Approval): string {
  const isDecided = ['approved', 'used', 'rejected'].includes(approval.state)
  return (isDecided && approval.decisions.at(-1)?.decidedAt) || ''
}

/** The time until the end of a pending approval: `2 h 4 min left`; empty for others. */
export function timeLeft(approval: Approval, now: number): string {
  const end = knownTime(approval.expiresAt)
  if (end === undefined || stateOf(approval, now) !== 'pending') return ''
  return `${formatMs(end - now)} left`
}

const places = ['path', 'query', 'header', 'body']

/** The inputs of a request by their place, without empty ones. */
export function inputsByPlace({ inputs }: ApprovalRequest): readonly (readonly [string, unknown])[] {
  const given = Object.entries(inputs).filter(([, value]) => !isEmpty(value))
  return given.toSorted(([left], [right]) => places.indexOf(left) - places.indexOf(right))
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
}
