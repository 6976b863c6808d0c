import type { IncomingMessage, ServerResponse } from 'node:http'
import { headers, type Outcome, writeOutcome } from '@agentic-rest/profile'

const hostile = 'x\u001b[2J\u009b31m\u202ey'

/** One outcome of each kind, by the last path segment. */
export const outcomesByName: Readonly<Record<string, Outcome>> = {
  success: { type: 'success', body: { id: 'cmp-1', name: 'Spring', budget: 100 } },
  created: { type: 'created', body: { id: 'opt-1', status: 'accepted' } },
  accepted: { type: 'accepted', operationId: 'op-1', statusUrl: '/operations/op-1/status' },
  clarification: {
    type: 'clarification_required',
    message: 'The operation needs more input.',
    requiredInputs: [
      {
        name: 'goal',
        location: 'body',
        type: 'string',
        required: true,
        question: 'What is to be optimised?',
        allowedValues: ['ctr', 'reach'],
      },
      { name: 'days', location: 'query', type: 'integer', required: false, question: 'For how many days?' },
    ],
  },
  validation: {
    type: 'validation_failed',
    message: 'The request is not valid.',
    errors: [
      { field: 'goal', message: 'must be one of ctr, reach' },
      { field: 'range.to', message: 'must be after range.from' },
    ],
  },
  approval: {
    type: 'approval_required',
    message: 'Spend 5000?',
    approvalToken: 'apt-1',
    approver: { name: 'Finance' },
  },
  forbidden: { type: 'forbidden', code: 'LICENSE_REQUIRED', message: 'The tenant has no licence for this.' },
  conflict: {
    type: 'conflict',
    code: 'ALREADY_RUNNING',
    message: 'An optimization is running.',
    conflictingResourceId: 'opt-9',
  },
  dependency: {
    type: 'failed_dependency',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The service does not answer.',
  },
  error: { type: 'error', code: 'EXECUTION_TIMEOUT', message: 'It took too long.' },
  unauthenticated: {
    type: 'error',
    code: 'TOKEN_EXPIRED',
    message: 'The token has expired.',
    condition: 'unauthenticated',
  },
  missing: { type: 'error', code: 'NOT_FOUND', message: 'There is no such thing.', condition: 'not_found' },
  limited: {
    type: 'error',
    code: 'LIMIT_EXCEEDED',
    message: 'Too many streams.',
    condition: 'limit_exceeded',
    retryAfter: 60,
  },
  draining: { type: 'error', code: 'SHUTTING_DOWN', message: 'Going down.', condition: 'unavailable' },
  hostile: { type: 'success', body: { [hostile]: hostile } },
  'hostile-error': {
    type: 'conflict',
    code: `C${hostile}`,
    message: hostile,
    conflictingResourceId: hostile,
  },
  'hostile-question': {
    type: 'clarification_required',
    message: hostile,
    requiredInputs: [
      {
        name: hostile,
        location: 'body',
        type: 'string',
        required: true,
        question: hostile,
        allowedValues: [hostile],
      },
    ],
  },
}

/** Answers `/outcomes/NAME` with that outcome, `/stream` and `/broken-stream` with events, and other paths outside the profile. */
export function answerWithOutcome(request: IncomingMessage, response: ServerResponse): void {
  const [path = ''] = (request.url ?? '').split('?')
  const outcome = outcomesByName[path.replace('/outcomes/', '')]
  if (outcome !== undefined) sendOutcome(request, response, outcome)
  else if (path.endsWith('stream')) sendStream(request, response, path === '/broken-stream')
  else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Hello')
}

/** Sends an outcome as a service does, with the correlation id of the caller and a new request id. */
export function sendOutcome(
  request: IncomingMessage,
  response: ServerResponse,
  outcome: Outcome,
  more: Readonly<Record<string, string>> = {},
): void {
  const written = writeOutcome(outcome, answeredTrace(request))
  response.writeHead(written.status, { ...written.headers, ...more }).end(written.body)
}

function answeredTrace(request: IncomingMessage) {
  return { correlationId: String(request.headers[headers.correlationId.toLowerCase()]), requestId: 'r-1' }
}

function sendStream(request: IncomingMessage, response: ServerResponse, breaks: boolean): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  response.write('data: one\n\nid: 7\nevent: note\ndata: two\ndata: lines\n\n')
  if (breaks) {
    const failure = { type: 'error', code: 'EXECUTION_TIMEOUT', message: 'It took too long.' }
    response.write(`event: error\ndata: ${JSON.stringify({ ...failure, trace: answeredTrace(request) })}\n\n`)
  } else response.write(`data: ${hostile}\n\n`)
  response.end()
}
