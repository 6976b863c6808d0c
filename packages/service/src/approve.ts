import { endWith, goOn, type Step } from './answer.ts'
import { eventTypes } from './audit/request-record.ts'
import type { Durable } from './durable.ts'
import { fingerprintFor } from './fingerprint.ts'
import { type ApprovalRule, isQuorum, type Operation, type WantedApproval } from './operation.ts'
import { invalidAt, refusal, tooManyApprovals } from './refusals.ts'
import type { RequestContext } from './run-context.ts'
import { TooManyApprovalsError } from './runtime/approvals/ask.ts'
import type {
  ApprovalCheck,
  ApprovalRequest,
  Approvals,
  PresentedToken,
  Reservation,
  Scope,
} from './runtime/contract.ts'
import type { Principal } from './runtime/principal.ts'

/** An approval for this request, reserved for it alone. */
export interface Approved extends PresentedToken {
  readonly approvalId: string
  readonly decidedBy: string
  readonly decidedByIssuer: string | undefined
  readonly reservation: Reservation
  /** The digest that the approval is bound to. */
  readonly digest: string
  readonly shownDigest: string
}

/** The part of an approval that shows the request and its way. */
export type ApprovalDetail = Pick<ApprovalRequest, 'request' | 'via' | 'correlationId'>

/** A request before the approval gate. */
interface GateRequest {
  readonly operation: Pick<Operation, 'approval' | 'requestedFor'>
  readonly context: RequestContext
  readonly scope: Scope
  readonly digest: string
  /** The tokens of the request. One may be for this gate; the others are for inner agents. */
  readonly tokens: readonly string[]
  readonly durable: Pick<Durable, 'approvals'>
  /** The path of the approvals, without an id. */
  readonly approvalsPath: string
  readonly approvalDetail: () => ApprovalDetail
}

/** The approval gate: passes requests without a rule or with a valid approval, and answers all others (decision 13). */
export async function approve(request: GateRequest): Promise<Step<Approved | undefined>> {
  const { operation, context } = request
  const rule = operation.approval
  const wanted = rule === undefined ? false : await rule.when(context)
  // Without a rule here, the token is for an inner agent and is only forwarded.
  if (rule === undefined || wanted === false) return goOn(undefined)
  if (context.subject === undefined) return endWith(refusal('SUBJECT_REQUIRED'))
  const { message, approver } = wanted
  const person = personBehind(wanted) ?? operation.requestedFor?.(context)
  // The texts may contain inputs, and PostgreSQL cannot store U+0000.
  if (`${message}${person?.subject}${person?.issuer}`.includes('\0'))
    return endWith(invalidAt('body', 'contains the character U+0000'))
  const digest = person === undefined ? request.digest : await fingerprintFor(person, request.digest)
  const { subject: requestedFor, issuer: requestedForIssuer } = person ?? {}
  return passGate(
    { ...request, digest },
    {
      message,
      approver,
      ...deciders(rule, wanted),
      expirySeconds: rule.expirySeconds,
      requestedFor,
      requestedForIssuer,
    },
  )
}

/** An approval confirmed by the requester has an empty role, so that it never counts for a rule with a role. */
function deciders(
  rule: ApprovalRule,
  wanted: WantedApproval,
): Pick<Wanted, 'role' | 'quorum' | 'byRequester'> {
  if (rule.by === 'requester') return { role: '', byRequester: true }
  const { role = rule.role, quorum = rule.quorum ?? 1 } = wanted
  if (role === '' || !isQuorum(quorum))
    throw new TypeError('the approval has no role or an impossible quorum')
  return { role, quorum }
}

/** The person of the rule. An empty name is none. */
function personBehind({ requestedFor }: WantedApproval): Principal | undefined {
  const person = typeof requestedFor === 'string' ? { subject: requestedFor } : requestedFor
  return person?.subject === '' ? undefined : person
}

type Wanted = ApprovalRequest

async function passGate(request: GateRequest, wanted: Wanted): Promise<Step<Approved>> {
  const { digest, tokens, durable } = request
  const approvals = await durable.approvals()
  const { token, check } = await findOwn(approvals, request, wanted)
  // An approval by a role that no longer decides does not count. The current role is asked.
  if (tokens.length === 0 || check.kind === 'other_role') return askAnew(request, wanted, approvals)
  if (check.kind === 'pending') return askAgain(request, wanted, { approvalId: check.approvalId, token })
  if (check.kind === 'invalid') return endWith(refusal('APPROVAL_INVALID'))
  const reservation = await check.reserve()
  const presented = { token, role: wanted.role, quorum: wanted.quorum }
  if (reservation === undefined) return endWith(await whyNotUsed(request, { ...presented, digest }))
  const { approvalId, shownDigest, decidedBy, decidedByIssuer } = check
  return goOn({ ...presented, digest, shownDigest, reservation, approvalId, decidedBy, decidedByIssuer })
}

/** Finds the token for this gate. Tokens of inner agents are unknown here. */
async function findOwn(
  approvals: Approvals,
  { scope, digest, tokens }: GateRequest,
  { role, quorum }: Pick<Wanted, 'role' | 'quorum'>,
) {
  let found: { token: string; check: ApprovalCheck } = { token: '', check: { kind: 'invalid' } }
  for (const token of tokens) {
    if (found.check.kind !== 'invalid') break
    found = { token, check: await approvals.check(scope, digest, { token, role, quorum }) }
  }
  return found
}

/** The refusal for an approval that was lost in a race: in use by another request, or no longer valid. */
export async function whyNotUsed(
  { scope, durable }: Pick<GateRequest, 'scope' | 'durable'>,
  { digest, ...presented }: PresentedToken & Pick<Approved, 'digest'>,
) {
  const check = await (await durable.approvals()).check(scope, digest, presented)
  return refusal(check.kind === 'approved' ? 'APPROVAL_IN_USE' : 'APPROVAL_INVALID')
}

async function askAnew(request: GateRequest, wanted: Wanted, approvals: Approvals): Promise<Step<never>> {
  const { scope, digest, approvalDetail, context } = request
  try {
    const asked = await approvals.request(scope, digest, { ...wanted, ...approvalDetail() })
    if (asked.isNew) recordRequested(context, asked)
    return askAgain(request, wanted, asked)
  } catch (error) {
    if (error instanceof TooManyApprovalsError) return endWith(tooManyApprovals(error.limit))
    throw error
  }
}

function recordRequested(
  { audit }: RequestContext,
  { approvalId, digest }: { readonly approvalId: string; readonly digest: string },
): void {
  audit.emit({
    event_type: eventTypes.approvalRequested,
    outcome: 'approval_required',
    attributes: { approval_id: approvalId, digest, status: 'pending' },
  })
}

function askAgain(
  { approvalsPath }: GateRequest,
  { message, approver }: Wanted,
  { approvalId, token }: { readonly approvalId: string; readonly token: string },
): Step<never> {
  return endWith(
    { type: 'approval_required', message, approvalToken: token, approver: { name: approver.name } },
    { Location: `${approvalsPath}/${encodeURIComponent(approvalId)}` },
  )
}
