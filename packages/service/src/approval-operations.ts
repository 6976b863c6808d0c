import type { Outcome } from '@agentic-rest/profile'
import { approvalPageSchema, approvalSchema, readApproval } from '@agentic-rest/profile/approval'
import {
  type DecisionInput,
  decisionInput,
  type ListInput,
  listInput,
  noInput,
  PAGE,
} from './approval-inputs.ts'
import { eventTypes } from './audit/request-record.ts'
import { success } from './make-outcome.ts'
import { ownIds } from './openapi/links.ts'
import { defineOperation, type Operation } from './operation.ts'
import type { OwnOptions } from './own-operations.ts'
import { invalidAt, type RefusalCode, refusal } from './refusals.ts'
import type { RunContext } from './run-context.ts'
import type { DecisionResult, Withdrawal } from './runtime/contract.ts'

type ApprovalContext<Input> = RunContext<Input, { readonly approvalId: string }>

/** The answers to what leaves an approval unchanged. */
const refused = {
  unknown: 'NOT_FOUND',
  own_request: 'APPROVAL_OWN_REQUEST',
  not_requester: 'APPROVAL_NOT_OWN',
  role_missing: 'INSUFFICIENT_ROLES',
  changed: 'APPROVAL_CHANGED',
  decided_already: 'APPROVAL_DECIDED_ALREADY',
  expired: 'APPROVAL_EXPIRED',
  not_pending: 'APPROVAL_NOT_PENDING',
  in_use: 'APPROVAL_IN_USE',
} as const satisfies Record<Exclude<DecisionResult | Withdrawal, 'decided' | 'withdrawn'>, RefusalCode>

function refuse(result: keyof typeof refused, approvalId: string): Outcome {
  const outcome = refusal(refused[result])
  return outcome.type === 'conflict' ? { ...outcome, conflictingResourceId: approvalId } : outcome
}

interface Change {
  /** The answer with the approval after the change. */
  readonly shown: Outcome
  readonly more: Readonly<Record<string, string>>
}

/** Writes a record of a change. It has the length of a comment, and never its text. */
function recordChange(
  { audit, params }: ApprovalContext<unknown>,
  event_type: string,
  { shown, more }: Change,
): void {
  const { digest, state } = readApproval(shown.type === 'success' ? shown.body : undefined)
  const attributes = { approval_id: params.approvalId, digest, status: state, ...more }
  audit.emit({ event_type, outcome: shown.type, attributes })
}

function createHandlers(durable: OwnOptions['durable']) {
  async function list({
    input,
    tenant,
    subject = '',
    issuer,
    roles,
  }: RunContext<ListInput>): Promise<Outcome> {
    const viewer = { subject, issuer, roles }
    const page = await (await durable.approvals()).list(tenant, viewer, { limit: PAGE, ...input })
    return page === undefined ? invalidAt('cursor', 'is not the next of a page') : success(page)
  }

  async function show(context: ApprovalContext<unknown>): Promise<Outcome> {
    const { params, tenant, subject = '', issuer, roles } = context
    const view = await (await durable.approvals()).view(tenant, params.approvalId, { subject, issuer, roles })
    return view === undefined ? refusal('NOT_FOUND') : success(view)
  }

  const decide = (approve: boolean) =>
    async function decideApproval(context: ApprovalContext<DecisionInput>): Promise<Outcome> {
      const { params, input, tenant, subject, issuer, roles } = context
      if (subject === undefined) return refusal('SUBJECT_REQUIRED')
      const { digest, comment } = input
      const decision = { approve, by: subject, issuer, roles, digest, comment: comment || undefined }
      const result = await (await durable.approvals()).decide(tenant, params.approvalId, decision)
      if (result !== 'decided') return refuse(result, params.approvalId)
      const shown = await show(context)
      const verdict = {
        verdict: approve ? 'approved' : 'rejected',
        comment_length: String(comment?.length ?? 0),
      }
      recordChange(context, eventTypes.approvalDecided, { shown, more: verdict })
      return shown
    }

  async function withdraw(context: ApprovalContext<unknown>): Promise<Outcome> {
    const { params, tenant, subject, issuer, roles } = context
    if (subject === undefined) return refusal('SUBJECT_REQUIRED')
    const viewer = { subject, issuer, roles }
    const result = await (await durable.approvals()).withdraw(tenant, params.approvalId, viewer)
    if (result !== 'withdrawn') return refuse(result, params.approvalId)
    const shown = await show(context)
    recordChange(context, eventTypes.approvalWithdrawn, { shown, more: {} })
    return shown
  }

  return { list, show, decide, withdraw }
}

/** The operations to list, show, decide and withdraw approvals (decision 13). They are shown to those involved (decision 38). */
export function approvalOperations({ durable }: OwnOptions): readonly Operation[] {
  const { list, show, decide, withdraw } = createHandlers(durable)
  return [
    defineOperation({
      id: 'agentic.list-approvals',
      method: 'GET',
      path: '/approvals',
      summary: 'The approvals that the caller may decide or has asked for, the newest first.',
      ...listInput,
      output: { success: approvalPageSchema },
      outcomes: ['success'],
      run: list,
    }),
    defineOperation({
      id: ownIds.approval,
      method: 'GET',
      path: '/approvals/{approvalId}',
      summary: 'What is to be approved, and whether it is decided.',
      output: { success: approvalSchema },
      outcomes: ['success'],
      run: show,
    }),
    ...(['approve', 'reject'] as const).map((verb) =>
      defineOperation({
        id: `agentic.${verb}`,
        method: 'POST',
        path: `/approvals/{approvalId}/${verb}`,
        summary: `Decides an approval: ${verb}.`,
        ...decisionInput,
        output: { success: approvalSchema },
        outcomes: ['success', 'forbidden', 'conflict'],
        run: decide(verb === 'approve'),
      }),
    ),
    defineOperation({
      id: 'agentic.withdraw',
      method: 'POST',
      path: '/approvals/{approvalId}/withdraw',
      summary: 'Withdraws an approval that the caller has asked for and that is not used yet.',
      ...noInput,
      output: { success: approvalSchema },
      outcomes: ['success', 'forbidden', 'conflict'],
      run: withdraw,
    }),
  ]
}
