import { headers } from '@agentic-rest/profile'
import type { Answered, AnsweredAs } from './answer.ts'
import { awaitApproval } from './ask-approval.ts'
import { buildHeaders } from './build-headers.ts'
import { type ClientRequest, isSafeMethod } from './client-request.ts'
import { untilAborted } from './clock.ts'
import { createId } from './create-id.ts'
import { followOperation } from './follow-operation.ts'
import { canPlace, placeAnswers } from './place-answers.ts'
import { createRunContext, type RunContext } from './run-context.ts'
import type { RunOptions } from './run-options.ts'
import { sendPatiently } from './send-patiently.ts'
import type { Settings } from './settings.ts'

/** Sends a request and follows it to its final outcome. */
export async function runRequest(
  settings: Settings,
  request: ClientRequest,
  options: RunOptions,
): Promise<Answered> {
  const fields = buildHeaders(settings, request)
  // An empty key counts as none (decision 35).
  const givenKey = fields.get(headers.idempotencyKey) || undefined
  const context = createRunContext(settings, options, { signal: request.signal, givenKey })
  // All rounds and retries are one exchange: one correlation id and, for requests with an effect, one key.
  let current: ClientRequest = withKey(
    { ...request, signal: context.signal, correlationId: fields.get(headers.correlationId) ?? undefined },
    givenKey,
  )
  for (;;) {
    const { outcome, resumable } = await settle(context, current, givenKey === undefined)
    const next = resumable && (await nextRequest(context, resumable, outcome))
    if (next === undefined) return outcome
    current = next
  }
}

interface Settled {
  readonly outcome: Answered
  /** The request to add answers to; absent when the run is over. */
  readonly resumable: ClientRequest | undefined
}

/** Sends a request and follows its background operation, if there is one. */
async function settle(context: RunContext, request: ClientRequest, ownsKey: boolean): Promise<Settled> {
  const direct = await sendPatiently(context, request)
  if (direct.type !== 'accepted') return { outcome: direct, resumable: request }
  const { outcome, state } = await followOperation(context, request, direct)
  if (state === 'asks') return { outcome, resumable: request }
  // An ended operation has used its key (decision 30). If it ended with a question it had no effect, so a new key
  // is safe. A key of the caller is not replaced.
  return { outcome, resumable: state === 'ended' && ownsKey ? withKey(request, undefined) : undefined }
}

/** The next request, or nothing if the outcome is the result. */
async function nextRequest(
  context: RunContext,
  request: ClientRequest,
  outcome: Answered,
): Promise<ClientRequest | undefined> {
  switch (outcome.type) {
    case 'clarification_required':
      return clarify(context, request, outcome)
    case 'approval_required':
      return awaitApproval(context, request, outcome)
    case 'success':
    case 'created':
    case 'accepted':
    case 'validation_failed':
    case 'forbidden':
    case 'conflict':
    case 'failed_dependency':
    case 'error':
      return undefined
  }
}

async function clarify(
  { options, signal, takeRound }: RunContext,
  request: ClientRequest,
  clarification: AnsweredAs<'clarification_required'>,
): Promise<ClientRequest | undefined> {
  const { requiredInputs } = clarification
  if (options.onClarification === undefined) return undefined
  if (!requiredInputs.every((input) => canPlace(request, input)) || !takeRound()) return undefined
  const answers = await untilAborted(options.onClarification(clarification), signal)
  // An approval is bound to one exact request (decision 13). With answers it is another request and needs a new approval.
  return answers && placeAnswers({ ...request, approvalToken: undefined }, requiredInputs, answers)
}

function withKey(request: ClientRequest, key: string | undefined): ClientRequest {
  const idempotencyKey = key ?? (isSafeMethod(request.method) ? undefined : createId())
  return { ...request, idempotencyKey }
}
