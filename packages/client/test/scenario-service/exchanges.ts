import type { ServerResponse } from 'node:http'
import type { Outcome, RequiredInput } from '@agentic-rest/profile'
import { sampleConditions, sampleOutcomes } from '../sample-outcomes.ts'
import { type Handler, type Incoming, sendOutcome } from './send-outcome.ts'

/** Operations that follow the profile, in one or several rounds. */
export function exchanges(): Record<string, Handler> {
  return {
    echo: (request, response) =>
      sendOutcome(response, request.trace, { type: 'success', body: seen(request) }),
    outcomes: answerByName,
    version: (request, response) => {
      const version = request.segments[1] ?? ''
      const fields = version === 'none' ? {} : { 'x-agentic-profile': version }
      response.writeHead(200, { 'content-type': 'application/json', ...fields }).end('{"ok":true}')
    },
    tokens: (request, response) => {
      if (request.headers.authorization !== 'Bearer fresh')
        return sendOutcome(response, request.trace, sampleConditions.unauthenticated)
      sendOutcome(response, request.trace, { type: 'created', body: { tokens: 'accepted' } })
    },
    campaigns: createOptimization,
    refunds: payRefund,
    approvals: showApproval,
    reports: writeReport,
    operations: showOperation,
    flaky: answerLater,
  }
}

function seen({ method, url, headers, body }: Incoming) {
  const kept = Object.entries(headers).filter(([name]) =>
    /^(x-|authorization|idem|prefer|content-type)/.test(name),
  )
  return { method, url, headers: Object.fromEntries(kept), body }
}

const answerByName: Handler = ({ segments: [, name = ''], trace }, response) => {
  const all: Record<string, Outcome> = { ...sampleOutcomes, ...sampleConditions }
  sendOutcome(response, trace, all[name] ?? sampleConditions.not_found)
}

/** Asks for all missing inputs at once, each at its location. */
const createOptimization: Handler = (request, response, requests) => {
  const [, campaignId = ''] = request.segments
  const { goal } = JSON.parse(request.body || '{}')
  const missing: RequiredInput[] = [
    ...(goal === undefined ? [asked('goal', 'body')] : []),
    ...(request.query.has('dryRun') ? [] : [asked('dryRun', 'query')]),
    ...(campaignId === 'draft' ? [asked('campaignId', 'path')] : []),
    ...(campaignId === 'with-header' && request.headers['x-plan'] === undefined
      ? [asked('X-Plan', 'header')]
      : []),
    ...(campaignId === 'greedy' ? [asked('Authorization', 'header')] : []),
  ]
  const [first, ...others] = missing
  if (first !== undefined)
    return sendOutcome(response, request.trace, {
      type: 'clarification_required',
      message: 'Something is missing.',
      requiredInputs: [first, ...others],
    })
  const keys = requests
    .filter(({ trace }) => trace.correlationId === request.trace.correlationId)
    .map(({ headers }) => headers['idempotency-key'])
  const body = {
    campaignId,
    goal,
    dryRun: request.query.getAll('dryRun'),
    plan: request.headers['x-plan'] ?? null,
  }
  sendOutcome(response, request.trace, {
    type: 'created',
    body: { ...body, rounds: keys.length, keys: new Set(keys).size },
  })
}

function asked(name: string, location: RequiredInput['location']): RequiredInput {
  return { name, location, type: 'string', required: true, question: `Which ${name}?` }
}

/** Needs an approval, which `showApproval` grants at the second poll. */
const payRefund: Handler = (request, response, requests) => {
  const [, kind = ''] = request.segments
  const id = `${kind}-${request.trace.correlationId}`
  const looks = requests.filter(({ url }) => url === `/approvals/${id}`).length
  const tries = requests.filter(
    ({ url, trace }) => url === request.url && trace.correlationId === request.trace.correlationId,
  )
  const isDecided = kind === 'seen' || kind === 'rejected' ? looks >= 2 : tries.length >= 4
  if (request.headers['x-approval-token'] !== `token-${id}` || !isDecided)
    return sendOutcome(
      response,
      request.trace,
      { ...sampleOutcomes.approval_required, approvalToken: `token-${id}` },
      kind === 'without-location'
        ? {}
        : { location: kind === 'foreign' ? `http://127.0.0.1:9/approvals/${id}` : `/approvals/${id}` },
    )
  if (kind === 'rejected')
    return sendOutcome(response, request.trace, {
      type: 'forbidden',
      code: 'APPROVAL_INVALID',
      message: 'Rejected.',
    })
  const keys = new Set(tries.map(({ headers }) => headers['idempotency-key']))
  sendOutcome(response, request.trace, {
    type: 'created',
    body: { paid: true, looks, tries: tries.length, keys: keys.size },
  })
}

const showApproval: Handler = (request, response, requests) => {
  const [, id = ''] = request.segments
  if (id.startsWith('unseen')) return sendOutcome(response, request.trace, sampleOutcomes.forbidden)
  const looks = requests.filter(({ url }) => url === request.url).length
  const decided = id.startsWith('rejected') ? 'rejected' : 'approved'
  const state = looks < 2 ? 'pending' : decided
  sendOutcome(
    response,
    request.trace,
    { type: 'success', body: { approvalId: id, state } },
    { 'retry-after': '3' },
  )
}

/** Continues in the background; `showOperation` ends it at the third poll. */
const writeReport: Handler = (request, response) => {
  const [, name = ''] = request.segments
  const kind = request.headers['x-approval-token'] === 'token-1' ? 'approved' : name
  const operationId = `${kind}-${request.trace.correlationId}`
  const path = `/operations/${operationId}/status`
  const statusUrl = kind === 'foreign' ? `http://127.0.0.1:9${path}` : path
  sendOutcome(response, request.trace, { type: 'accepted', operationId, statusUrl }, { 'retry-after': '1' })
}

const endings: Readonly<Record<string, { status: string; outcome: string; result: unknown }>> = {
  completed: { status: 'completed', outcome: 'created', result: { report: 'r-1' } },
  failed: { status: 'failed', outcome: 'failed_dependency', result: withoutTrace('failed_dependency') },
  cancelled: { status: 'cancelled', outcome: 'error', result: withoutTrace('error') },
  approved: { status: 'completed', outcome: 'success', result: { report: 'r-2' } },
}

function withoutTrace(type: 'failed_dependency' | 'error' | 'approval_required') {
  const code = type === 'approval_required' ? { code: 'APPROVAL_REQUIRED' } : {}
  return { ...sampleOutcomes[type], ...code }
}

const showOperation: Handler = (request, response, requests) => {
  const [, operationId = ''] = request.segments
  const [kind = ''] = operationId.split('-')
  const looks = requests.filter(({ url }) => url === request.url).length
  const waiting =
    kind === 'approval'
      ? { status: 'input_required', outcome: 'approval_required', result: withoutTrace('approval_required') }
      : { status: 'working', progress: { percent: looks * 40 } }
  const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:01Z' }
  const ending = kind === 'endless' ? undefined : endings[kind]
  const state = looks < 3 || ending === undefined ? waiting : ending
  const fields = looks < 3 ? { 'retry-after': String(looks) } : {}
  const body = { operationId, statusUrl: request.url, ...times, ...state }
  sendOutcome(response, request.trace, { type: 'success', body }, fields)
}

/** Answers at the third attempt of an exchange. */
const answerLater: Handler = (request, response, requests) => {
  const [, kind = ''] = request.segments
  const tries = requests.filter(
    ({ url, trace }) => url === request.url && trace.correlationId === request.trace.correlationId,
  )
  if (tries.length < 3) return refuseForNow(kind, request, response)
  const keys = new Set(tries.map(({ headers }) => headers['idempotency-key']))
  const requestIds = new Set(tries.map(({ trace }) => trace.requestId))
  const body = { tries: tries.length, keys: keys.size, requestIds: requestIds.size }
  sendOutcome(response, request.trace, { type: 'success', body })
}

function refuseForNow(kind: string, { trace }: Incoming, response: ServerResponse): void {
  const refusal = refusals[kind]
  if (refusal === undefined) response.socket?.destroy()
  else sendOutcome(response, trace, refusal, kind === 'unavailable' ? { 'retry-after': '1' } : {})
}

const refusals: Readonly<Record<string, Outcome>> = {
  limited: sampleConditions.limit_exceeded,
  unavailable: sampleConditions.unavailable,
  'in-progress': { type: 'conflict', code: 'IDEMPOTENCY_IN_PROGRESS', message: 'Wait.' },
}
