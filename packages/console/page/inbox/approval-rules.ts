import { formatMs, knownTime } from '../shell/format.ts'
import type { Family } from '../shell/outcome-family.ts'
import type { Approval } from './approval.ts'

/** The person whose inbox it is, as far as the token tells. The service decides what the person may do. */
export interface Me {
  /** Absent if the token does not tell its owner. */
  readonly subject: string | undefined
  readonly issuer: string | undefined
}

/** Whether a subject is the person. Issuers count only if both are known. */
function isMe({ subject, issuer }: Me, name: string, nameIssuer: string): boolean {
  if (subject === undefined || subject !== name) return false
  return nameIssuer === '' || issuer === undefined || issuer === nameIssuer
}

/** Whether the person asked for it, or an agent did on behalf of the person. */
export function isOwn(approval: Approval, me: Me): boolean {
  const { requester, requesterIssuer, requestedFor, requestedForIssuer } = approval
  return isMe(me, requester, requesterIssuer) || isMe(me, requestedFor, requestedForIssuer)
}

/** Whether the person confirms its own request. Behind an agent that is the person, not the agent. */
function isConfirmer(approval: Approval, me: Me): boolean {
  const { requester, requesterIssuer, requestedFor, requestedForIssuer } = approval
  return requestedFor === ''
    ? isMe(me, requester, requesterIssuer)
    : isMe(me, requestedFor, requestedForIssuer)
}

/** The state of an approval now: a pending one expires between two looks. */
export function stateOf({ state, expiresAt }: Approval, now: number): string {
  const end = knownTime(expiresAt)
  return state === 'pending' && end !== undefined && end <= now ? 'expired' : state
}

/** Why the person cannot decide a pending approval; empty if the person may try. */
export function whyNotDecide(approval: Approval, me: Me): string {
  const { decisions, isConfirmation, role, requester, requesterIssuer } = approval
  if (decisions.some(({ decidedBy, decidedByIssuer }) => isMe(me, decidedBy, decidedByIssuer)))
    return 'You have decided it. Others have to decide too.'
  if (isConfirmation)
    return me.subject === undefined || isConfirmer(approval, me)
      ? ''
      : 'Only the person who asked confirms it.'
  const others = role === '' ? 'Somebody else decides it.' : `Somebody else with the role ${role} decides it.`
  if (isMe(me, requester, requesterIssuer)) return `You asked for it. ${others}`
  return isOwn(approval, me) ? `An agent asked for it on your behalf. ${others}` : ''
}

/** Whether an approval waits for a decision of the person. */
export function waitsFor(approval: Approval, me: Me, now: number): boolean {
  return stateOf(approval, now) === 'pending' && whyNotDecide(approval, me) === ''
}

/** Whether the person may withdraw it: its own, not rejected, used or over. */
export function mayWithdraw(approval: Approval, me: Me, now: number): boolean {
  return isOwn(approval, me) && ['pending', 'approved'].includes(stateOf(approval, now))
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

function countApproved({ decisions }: Approval): number {
  return decisions.filter(({ verdict }) => verdict === 'approved').length
}

/** Who has to decide, and how many have done so. */
export function describeNeeded(approval: Approval): string {
  const { quorum, role, isConfirmation } = approval
  if (isConfirmation) return 'A confirmation by the person who asked'
  const who = role === '' ? '' : ` with the role ${role}`
  if (quorum === 1) return `One approval by somebody else${who}`
  return `${countApproved(approval)} of ${quorum} approvals by different people${who}`
}

/** The time until the end of a pending approval: `2 h 4 min left`; empty for others. */
export function timeLeft(approval: Approval, now: number): string {
  const end = knownTime(approval.expiresAt)
  if (end === undefined || stateOf(approval, now) !== 'pending') return ''
  return `${formatMs(end - now)} left`
}
