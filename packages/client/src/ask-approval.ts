import { outcomes } from '@agentic-rest/profile'
import { type Answered, type AnsweredAs, attachUnreachable, isUnserved } from './answer.ts'
import { resolveReference } from './build-url.ts'
import type { ClientRequest } from './client-request.ts'
import { untilAborted } from './clock.ts'
import type { RunContext } from './run-context.ts'
import { followUp, sendPatiently } from './send-patiently.ts'

type ApprovalOutcome = AnsweredAs<'approval_required'>

/** Whether to wait for an approval. The handler is called once per approval. */
async function goesOn(context: RunContext, outcome: ApprovalOutcome): Promise<boolean> {
  const { approvalWaits, options, signal } = context
  const { message, approvalToken, approver } = outcome
  // In the background each attempt is a whole operation, so it uses a round even without a call of the handler.
  if (approvalWaits.has(approvalToken)) return !isInBackground(outcome) || context.takeRound()
  if (options.onApproval === undefined || !context.takeRound()) return false
  if (options.onApproval !== 'wait') {
    const location = locationOf(context, outcome)?.href
    const pending = { message, approvalToken, approver, location }
    if (!(await untilAborted(options.onApproval(pending), signal))) return false
  }
  approvalWaits.set(approvalToken, 0)
  return true
}

/** Waits for the decision; resolves with the request and its approval token, or with nothing to stop. */
export async function awaitApproval(
  context: RunContext,
  request: ClientRequest,
  outcome: ApprovalOutcome,
): Promise<ClientRequest | undefined> {
  if (!(await goesOn(context, outcome)) || !(await isDecided(context, request, outcome))) return undefined
  // Also sent after a rejection: the service answers with the outcome for it.
  return { ...request, approvalToken: addToken(request, outcome.approvalToken) }
}

// A service reads no more (decision 13).
const MAX_TOKENS = 8

/**
 * Adds a token to those of earlier gates: each agent of a chain may want an approval, and takes its own token out. The
 * newest is first, so that it counts where it replaces an older one.
 */
function addToken({ approvalToken: earlier = '' }: ClientRequest, token: string): string {
  const tokens = new Set([token, ...earlier.split(/[\s,]+/)].filter((each) => each !== ''))
  return [...tokens].slice(0, MAX_TOKENS).join(', ')
}

/** Polls the approval if it has an address; otherwise only waits before the request is sent again. */
async function isDecided(
  context: RunContext,
  request: ClientRequest,
  outcome: ApprovalOutcome,
): Promise<boolean> {
  const { approvalWaits, approvalPatience: patience } = context
  const location = locationOf(context, outcome)
  const attempt = approvalWaits.get(outcome.approvalToken) ?? 0
  approvalWaits.set(outcome.approvalToken, attempt + 1)
  if (location === undefined || attempt > 0) {
    // The Retry-After of a status does not apply to an approval.
    const isTold = attempt > 0 && !isInBackground(outcome)
    return patience.pause(attempt, isTold ? outcome : undefined)
  }
  let seen: Answered | undefined
  for (let look = 0; await patience.pause(look, seen); look++) {
    // A gateway that answers slowly must not make the wait longer.
    seen = await patience.during(() => sendPatiently(context, followUp(request), location))
    if (look === 0 && isUnserved(seen)) {
      // The request with its token would be answered with 412 until somebody decides, and nobody could tell when.
      attachUnreachable(outcome, location)
      return false
    }
    if (seen.type !== 'success' || !isPending(seen.body)) return true
  }
  return false
}

/** Whether a background operation waits for the approval. */
function isInBackground({ answer }: ApprovalOutcome): boolean {
  return answer.status !== outcomes.approval_required.status
}

function isPending(body: unknown): boolean {
  const { state, status } = (body ?? {}) as { state?: unknown; status?: unknown }
  return (state ?? status) === 'pending'
}

function locationOf({ settings }: RunContext, { answer }: ApprovalOutcome): URL | undefined {
  const reference = answer.headers.get('Location')
  return reference === null ? undefined : resolveReference(settings.base, reference)
}
