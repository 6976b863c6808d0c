import type { Answered, AnsweredAs } from './answer.ts'
import { resolveReference } from './build-url.ts'
import type { ClientRequest } from './client-request.ts'
import { untilAborted } from './clock.ts'
import type { RunContext } from './run-context.ts'
import type { ApprovalStep } from './run-options.ts'
import { followUp, sendPatiently } from './send-patiently.ts'

type ApprovalOutcome = AnsweredAs<'approval_required'>

/** Asks how to go on with an approval, once: an approval that is waited for is not asked about again. */
export async function askApproval(context: RunContext, outcome: ApprovalOutcome): Promise<ApprovalStep> {
  const { approval, options, signal } = context
  if (approval.token === outcome.approvalToken) return 'wait'
  if (options.onApproval === undefined || !context.takeRound()) return 'stop'
  const { message, approvalToken, approver } = outcome
  const location = locationOf(context, outcome)?.href
  const step = await untilAborted(options.onApproval({ message, approvalToken, approver, location }), signal)
  approval.token = step === 'wait' ? approvalToken : undefined
  approval.waits = 0
  return step
}

/** The request with its approval, once somebody has decided; nothing when there is no use in waiting on. */
export async function awaitApproval(
  context: RunContext,
  request: ClientRequest,
  outcome: ApprovalOutcome,
): Promise<ClientRequest | undefined> {
  const step = await askApproval(context, outcome)
  if (step === 'stop') return undefined
  if (step === 'wait' && !(await isDecided(context, request, outcome))) return undefined
  // Also after a rejection: the service then says so itself, with an outcome of its own.
  return { ...request, approvalToken: outcome.approvalToken }
}

/** Looks at the approval where it can be seen; otherwise the request itself finds out, a while later. */
async function isDecided(
  context: RunContext,
  request: ClientRequest,
  outcome: ApprovalOutcome,
): Promise<boolean> {
  const { approval, patience } = context
  const location = locationOf(context, outcome)
  const isFirst = approval.waits++ === 0
  if (location === undefined || !isFirst) return patience.pause(approval.waits - 1, outcome)
  let seen: Answered = outcome
  for (let attempt = 0; await patience.pause(attempt, seen); attempt++) {
    seen = await sendPatiently(context, followUp(request), location)
    if (seen.type !== 'success' || !isPending(seen.body)) return true
  }
  return false
}

function isPending(body: unknown): boolean {
  const { state, status } = (body ?? {}) as { state?: unknown; status?: unknown }
  return (state ?? status) === 'pending'
}

function locationOf({ settings }: RunContext, { answer }: ApprovalOutcome): URL | undefined {
  const reference = answer.headers.get('Location')
  return reference === null ? undefined : resolveReference(settings.base, reference)
}
