import { claimsOf, readClaim } from '../token-claims.ts'
import type { Approval, ApprovalRequest } from './approval.ts'

/** A person as far as a token tells. The service decides what the person may do. */
export interface TokenOwner {
  /** Absent if the token does not tell its owner. */
  readonly subject?: string | undefined
  readonly issuer?: string | undefined
}

/** The owner that a JWT names by a claim; of another token nobody. It is for display and proves nothing. */
export function ownerOf(token: string, subjectClaim = 'sub'): TokenOwner {
  const claims = claimsOf(token)
  const [subject, issuer] = [readClaim(claims, subjectClaim), claims['iss']]
  return { subject: nonEmpty(subject), issuer: nonEmpty(issuer) }
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whether a name is the owner's. Issuers count only if both are known. */
function isOwner({ subject, issuer }: TokenOwner, name: string, nameIssuer: string): boolean {
  if (subject === undefined || subject !== name) return false
  return nameIssuer === '' || issuer === undefined || issuer === nameIssuer
}

function isRequester({ requester, requesterIssuer }: Approval, owner: TokenOwner): boolean {
  return isOwner(owner, requester, requesterIssuer)
}

function isBehind({ requestedFor, requestedForIssuer }: Approval, owner: TokenOwner): boolean {
  return isOwner(owner, requestedFor, requestedForIssuer)
}

/** Whether a person asked for it, or an agent did on behalf of the person. */
export function hasAsked(approval: Approval, owner: TokenOwner): boolean {
  return isRequester(approval, owner) || isBehind(approval, owner)
}

/** Whether the requester confirms its own request; nobody else decides then. */
export function isConfirmation({ by }: Approval): boolean {
  return by === 'requester'
}

/** Why a person cannot decide a pending approval; empty if the person may try, or is not known. */
export function whyNotDecide(approval: Approval, owner: TokenOwner): string {
  const { decisions, role, requestedFor } = approval
  if (owner.subject === undefined) return ''
  if (decisions.some(({ decidedBy, decidedByIssuer }) => isOwner(owner, decidedBy, decidedByIssuer)))
    return 'You have decided it. Others have to decide too.'
  if (isConfirmation(approval)) {
    // Behind an agent the person confirms, not the agent.
    const isConfirmer = requestedFor === '' ? isRequester(approval, owner) : isBehind(approval, owner)
    return isConfirmer ? '' : 'Only the person who asked confirms it.'
  }
  const who = role === '' ? 'Somebody else' : `Somebody else with the role ${role}`
  if (isRequester(approval, owner)) return `You are the requester. ${who} decides it.`
  return isBehind(approval, owner) ? `An agent asked for it on your behalf. ${who} decides it.` : ''
}

/** The state of an approval now: a pending one expires between two looks. */
export function stateOf({ state, expiresAt }: Approval, now: number): string {
  return state === 'pending' && Date.parse(expiresAt) <= now ? 'expired' : state
}

/** The time of the decision that ended the wait; empty while it is open, and for an end without a decision. */
export function decidedAt({ state, decisions }: Approval): string {
  const isDecided = ['approved', 'used', 'rejected'].includes(state)
  return (isDecided && decisions.at(-1)?.decidedAt) || ''
}

/** Whether an approval can still change: it is neither used nor over. */
export function isOpen(state: string): boolean {
  return state === 'pending' || state === 'approved'
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The time until the end of a pending approval: `2 h 4 min left`; empty for others. */
export function timeLeft(approval: Approval, now: number): string {
  const ms = Date.parse(approval.expiresAt) - now
  if (stateOf(approval, now) !== 'pending' || Number.isNaN(ms)) return ''
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)} d left`
  if (ms >= HOUR_MS) return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min left`
  const seconds = Math.floor((ms % MINUTE_MS) / 1000)
  return ms >= MINUTE_MS ? `${Math.floor(ms / MINUTE_MS)} min ${seconds} s left` : `${seconds} s left`
}

/** How many have approved it. */
export function countApproved({ decisions }: Approval): number {
  return decisions.filter(({ verdict }) => verdict === 'approved').length
}

/** Who has to decide, and how many have done so. */
export function describeNeeded(approval: Approval): string {
  const { quorum, role } = approval
  if (isConfirmation(approval)) return 'A confirmation by the person who asked'
  const who = role === '' ? '' : ` with the role ${role}`
  if (quorum === 1) return `One approval by somebody else${who}`
  return `${countApproved(approval)} of ${quorum} approvals by different people${who}`
}

/** The first line of the request that would be sent, such as `POST /payments`; empty if the service does not show it. */
export function requestLine(request: ApprovalRequest | null): string {
  return request === null ? '' : `${request.method} ${request.path}`.trim()
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

/** The limit of a comment, in characters. */
export const MAX_COMMENT = 2000

/** What a person can do with an approval. */
export type ApprovalVerb = 'approve' | 'reject' | 'withdraw'

/** The body of a decision. The digest binds it to the request that was shown: a decision on another one is refused. */
export function decisionBody({ digest }: Approval, comment = ''): Readonly<Record<string, string>> {
  const said = comment.trim()
  return { ...(digest !== '' && { digest }), ...(said !== '' && { comment: said }) }
}

/** Whether an approval waits for a decision of the person. */
export function waitsFor(approval: Approval, me: TokenOwner, now: number): boolean {
  return stateOf(approval, now) === 'pending' && whyNotDecide(approval, me) === ''
}

/** Whether the person may withdraw it: its own, not rejected, used or over. */
export function mayWithdraw(approval: Approval, me: TokenOwner, now: number): boolean {
  return hasAsked(approval, me) && isOpen(stateOf(approval, now))
}
