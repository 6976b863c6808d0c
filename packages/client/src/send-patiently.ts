import type { Answered } from './answer.ts'
import { type ClientRequest, isSafeMethod } from './client-request.ts'
import { TransportError } from './errors.ts'
import { exchange } from './exchange.ts'
import type { RunContext } from './run-context.ts'
import { exchangeEvents } from './run-stream.ts'

/** Sends a request, with retries after transport failures and after answers with Retry-After. */
export async function sendPatiently(
  context: RunContext,
  request: ClientRequest,
  url?: URL,
): Promise<Answered> {
  const { settings, options, patience } = context
  let retries = options.maxRetries ?? 3
  for (let attempt = 0; ; attempt++) {
    try {
      // Only the request itself streams; the status of an operation and the state of an approval do not.
      const { onEvent } = options
      const outcome = await (onEvent === undefined || url !== undefined
        ? exchange(settings, request, url)
        : exchangeEvents(settings, request, onEvent))
      if (!isToldToWait(outcome) || !(await patience.pause(attempt, outcome))) return outcome
    } catch (error) {
      if (!mayRepeat(error, context, request) || retries-- <= 0 || !(await patience.pause(attempt)))
        throw error
    }
  }
}

/** A request for an address in an answer: with the identity of the request, without its inputs. */
export function followUp(request: ClientRequest): ClientRequest {
  const { signal, timeoutMs, tenantId, correlationId, headers } = request
  return { method: 'GET', path: '/', signal, timeoutMs, tenantId, correlationId, headers }
}

/** Conditions without an effect that ask for a retry. */
function isToldToWait(outcome: Answered): boolean {
  if (outcome.type === 'conflict') return outcome.code === 'IDEMPOTENCY_IN_PROGRESS'
  if (outcome.type !== 'error') return false
  return outcome.condition === 'limit_exceeded' || outcome.condition === 'unavailable'
}

/** Without support for keys it is unknown whether a failed request had its effect. */
function mayRepeat(error: unknown, { retriesUnsafe }: RunContext, { method }: ClientRequest): boolean {
  if (!(error instanceof TransportError)) return false
  if (error.code !== 'NETWORK' && error.code !== 'TIMEOUT') return false
  return retriesUnsafe || isSafeMethod(method)
}
