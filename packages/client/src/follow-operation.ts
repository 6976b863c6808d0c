import { type Answered, type AnsweredAs, attachUnreachable, isUnserved } from './answer.ts'
import { resolveReference } from './build-url.ts'
import type { ClientRequest } from './client-request.ts'
import { TransportError } from './errors.ts'
import { isFinal, readStatus, storedOutcome } from './operation-status.ts'
import type { RunContext } from './run-context.ts'
import { followUp, sendPatiently } from './send-patiently.ts'

/** The result of following an operation. */
export interface Followed {
  readonly outcome: Answered
  /**
   * `ended`: the operation is final and its key is used. `asks`: it waits for input without an effect, and its key is
   * free (decision 10). `open`: its state is unknown.
   */
  readonly state: 'ended' | 'asks' | 'open'
}

/** Polls an operation until it ends, asks for input, or the waiting time is used up. */
export async function followOperation(
  context: RunContext,
  request: ClientRequest,
  accepted: AnsweredAs<'accepted'>,
): Promise<Followed> {
  const url = statusAddress(context, accepted)
  let last: Answered = accepted
  for (let attempt = 0; await context.patience.pause(attempt, last); attempt++) {
    last = await sendPatiently(context, followUp(request), url)
    // Only the first answer: a status that was there and is gone has expired, and the 404 is the result.
    if (attempt === 0 && isUnserved(last)) return { outcome: attachUnreachable(accepted, url), state: 'open' }
    if (last.type !== 'success') return { outcome: last, state: 'open' }
    const status = readStatus(last.body, last.answer)
    context.options.onProgress?.(status)
    if (isFinal(status)) return { outcome: storedOutcome(status, last.answer), state: 'ended' }
    if (status.status === 'input_required' && status.outcome !== undefined)
      return { outcome: storedOutcome(status, last.answer), state: 'asks' }
  }
  return { outcome: accepted, state: 'open' }
}

function statusAddress({ settings }: RunContext, accepted: AnsweredAs<'accepted'>): URL {
  const url = resolveReference(settings.base, accepted.statusUrl)
  if (url !== undefined) return url
  const message = `statusUrl is not below ${settings.base.origin}`
  const { answer, statusUrl } = accepted
  const foreign = URL.canParse(statusUrl) ? new URL(statusUrl) : undefined
  throw new TransportError('FOREIGN_ORIGIN', message, {
    outcome: accepted,
    trace: answer.trace,
    url: foreign,
  })
}
