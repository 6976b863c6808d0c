import type { Answered, AnsweredAs } from './answer.ts'
import { goesOn } from './ask-approval.ts'
import { resolveReference } from './build-url.ts'
import type { ClientRequest } from './client-request.ts'
import { TransportError } from './errors.ts'
import { isFinal, readStatus, storedOutcome } from './operation-status.ts'
import type { RunContext } from './run-context.ts'
import { followUp, sendPatiently } from './send-patiently.ts'

/** Where following an operation led. */
export interface Followed {
  readonly outcome: Answered
  /** Whether the operation came to its end, so that it cannot have an effect any more. */
  readonly ended: boolean
}

/** Polls an operation until it ends, needs what only the caller has, or the patience is used up. */
export async function followOperation(
  context: RunContext,
  request: ClientRequest,
  accepted: AnsweredAs<'accepted'>,
): Promise<Followed> {
  const url = statusAddress(context, accepted)
  let last: Answered = accepted
  for (let attempt = 0; await context.patience.pause(attempt, last); attempt++) {
    last = await sendPatiently(context, followUp(request), url)
    if (last.type !== 'success') return { outcome: last, ended: false }
    const status = readStatus(last.body, last.answer)
    context.options.onProgress?.(status)
    if (isFinal(status)) return { outcome: storedOutcome(status, last.answer), ended: true }
    if (status.status === 'working' || status.outcome === undefined) continue
    const outcome = storedOutcome(status, last.answer)
    // An operation that waits for an approval goes on by itself; other inputs have no way to it.
    if (outcome.type !== 'approval_required' || !(await goesOn(context, outcome)))
      return { outcome, ended: false }
  }
  return { outcome: accepted, ended: false }
}

function statusAddress({ settings }: RunContext, accepted: AnsweredAs<'accepted'>): URL {
  const url = resolveReference(settings.base, accepted.statusUrl)
  if (url !== undefined) return url
  const message = `statusUrl is not below ${settings.base.origin}, and the token goes nowhere else`
  throw new TransportError('FOREIGN_ORIGIN', message, { outcome: accepted, trace: accepted.answer.trace })
}
