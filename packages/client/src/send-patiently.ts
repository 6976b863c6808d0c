import type { Answered } from './answer.ts'
import { type ClientRequest, isSafeMethod } from './client-request.ts'
import { TransportError } from './errors.ts'
import { exchange } from './exchange.ts'
import type { RunContext } from './run-context.ts'

/** Sends a request, again after a failure that may be repeated, and later when the answer says so. */
export async function sendPatiently(
  context: RunContext,
  request: ClientRequest,
  url?: URL,
): Promise<Answered> {
  const { settings, options, patience } = context
  let retries = options.maxRetries ?? 3
  for (let attempt = 0; ; attempt++) {
    try {
      const outcome = await exchange(settings, request, url)
      if (!isToldToWait(outcome) || !(await patience.pause(attempt, outcome))) return outcome
    } catch (error) {
      if (!mayRepeat(error, context, request) || retries-- <= 0 || !(await patience.pause(attempt)))
        throw error
    }
  }
}

/** The request for a resource that an answer names: the same caller, nothing of the request's own inputs. */
export function followUp(request: ClientRequest): ClientRequest {
  const { signal, timeoutMs, tenantId, correlationId, headers } = request
  return { method: 'GET', path: '/', signal, timeoutMs, tenantId, correlationId, headers }
}

/** Answers that had no effect and ask for another attempt. */
function isToldToWait(outcome: Answered): boolean {
  if (outcome.type === 'conflict') return outcome.code === 'IDEMPOTENCY_IN_PROGRESS'
  if (outcome.type !== 'error') return false
  return outcome.condition === 'limit_exceeded' || outcome.condition === 'unavailable'
}

/** Unless a key is honoured, nobody knows whether a request with an effect was done before the wire broke. */
function mayRepeat(error: unknown, { retriesUnsafe }: RunContext, { method }: ClientRequest): boolean {
  if (!(error instanceof TransportError)) return false
  if (error.code !== 'NETWORK' && error.code !== 'TIMEOUT') return false
  return retriesUnsafe || isSafeMethod(method)
}
