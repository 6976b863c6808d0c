import { endWith, goOn, type Step } from './answer.ts'
import type { Durable } from './durable.ts'
import type { Operation, WantedApproval } from './operation.ts'
import { refusal } from './refusals.ts'
import type { RequestContext } from './run-context.ts'
import type { ApprovalCheck, Scope } from './runtime/contract.ts'

/** A token that allows this request. */
export type Approved = Extract<ApprovalCheck, { kind: 'approved' }>

/** A request before the gate of approvals. */
export interface GateRequest {
  readonly operation: Pick<Operation, 'approval'>
  readonly context: RequestContext
  readonly scope: Scope
  readonly digest: string
  readonly token: string | undefined
  readonly durable: Pick<Durable, 'approvals'>
  /** Where approvals are found: the path in front of their id. */
  readonly approvalsPath: string
}

/** Lets a request pass that needs no approval or has one; the others are answered here (decision 13). */
export async function approve(request: GateRequest): Promise<Step<Approved | undefined>> {
  const { operation, context, scope, digest, token, durable } = request
  const rule = operation.approval
  const wanted = rule === undefined ? false : await rule.when(context)
  // Without a gate of our own the token is for an agent behind us, and is only passed on.
  if (rule === undefined || wanted === false) return goOn(undefined)
  if (context.subject === undefined) return endWith(refusal('SUBJECT_REQUIRED'))
  const approvals = await durable.approvals()
  if (token === undefined) {
    const asked = await approvals.request(scope, digest, { ...wanted, role: wanted.role ?? rule.role })
    return askAgain(request, wanted, asked)
  }
  const check = await approvals.check(scope, digest, token)
  if (check.kind === 'approved') return goOn(check)
  if (check.kind === 'pending') return askAgain(request, wanted, { approvalId: check.approvalId, token })
  return endWith(refusal('APPROVAL_INVALID'))
}

function askAgain(
  { approvalsPath }: GateRequest,
  { message, approver }: WantedApproval,
  { approvalId, token }: { readonly approvalId: string; readonly token: string },
): Step<never> {
  return endWith(
    { type: 'approval_required', message, approvalToken: token, approver: { name: approver.name } },
    { Location: `${approvalsPath}/${encodeURIComponent(approvalId)}` },
  )
}
