import { type Outcome, type OutcomeType, readTrace, writeOutcome } from '@agentic-rest/profile'
import {
  createFacade,
  type InnerAnswer,
  type InnerRequest,
  readTool,
  type ToolHost,
} from '../../packages/mcp/src/index.ts'
import type { HostParts } from './http-server.ts'

const token = 'the-approval-token'

/** A service with one operation that gives the wanted outcome, behind the facade. */
export interface OutcomeService {
  readonly sent: InnerRequest[]
  readonly token: string
  host(parts: HostParts): ToolHost
}

const simple: Readonly<Partial<Record<OutcomeType, Outcome>>> = {
  success: { type: 'success', body: { done: true } },
  created: { type: 'created', body: { id: 'o1' } },
  validation_failed: {
    type: 'validation_failed',
    message: 'No.',
    errors: [{ field: 'a', message: 'is wrong' }],
  },
  forbidden: { type: 'forbidden', code: 'INSUFFICIENT_ROLES', message: 'No.' },
  conflict: { type: 'conflict', code: 'BUSY', message: 'Busy.', conflictingResourceId: 'o1' },
  failed_dependency: { type: 'failed_dependency', code: 'UPSTREAM', message: 'Broken.' },
  error: { type: 'error', code: 'BROKEN', message: 'Broken.' },
}

/** The type and `isError` of each wanted outcome, for clients whose person answers every question. */
export const seenByWillingClients: Readonly<Record<OutcomeType, readonly [OutcomeType, boolean]>> = {
  success: ['success', false],
  created: ['created', false],
  // The clients do not declare tasks, so the operation is waited for.
  accepted: ['success', false],
  clarification_required: ['success', false],
  validation_failed: ['validation_failed', true],
  approval_required: ['success', false],
  forbidden: ['forbidden', true],
  conflict: ['conflict', true],
  failed_dependency: ['failed_dependency', true],
  error: ['error', true],
}

/** Makes the service. Its approvals are decided at the second look, its operations end at the second look. */
export function createOutcomeService(): OutcomeService {
  const sent: InnerRequest[] = []
  const looks = new Map<string, number>()
  const look = (path: string) => {
    looks.set(path, (looks.get(path) ?? 0) + 1)
    return (looks.get(path) ?? 0) > 1
  }
  const answer = (request: InnerRequest): InnerAnswer => {
    const kind = /^\/outcomes\/(\w+)/.exec(request.path)?.[1] as OutcomeType | undefined
    if (kind === undefined) return written(shown(request.path, look(request.path)), request)
    return kind === 'approval_required' ? approved(request) : written(wanted(kind, request), request)
  }
  return {
    sent,
    token,
    host({ publicUrl, seal, environment }) {
      const mcp = { name: 'outcome', description: 'Gives the wanted outcome.', input: 'none' } as const
      const reading = readTool({ id: 'outcome', method: 'POST', path: '/outcomes/{kind}', mcp })
      if (!reading.ok) throw new Error(reading.fault.message)
      return createFacade({
        seal,
        environment,
        publicUrl,
        holdSeconds: 5,
        approvalMinutes: 1,
        tools: () => [reading.tool],
        mayUse: () => true,
        canPoll: () => true,
        canFollow: () => true,
        async send(request) {
          sent.push(request)
          return answer(request)
        },
      })
    },
  }
}

function wanted(kind: OutcomeType, { headers, body }: InnerRequest): Outcome {
  if (kind === 'clarification_required') return clarified(body)
  const operationId = headers['Idempotency-Key'] ?? ''
  return simple[kind] ?? { type: 'accepted', operationId, statusUrl: `/operations/${operationId}/status` }
}

/** An approval or an operation, open at first and over at the second look. */
function shown(path: string, isOver: boolean): Outcome {
  if (path.startsWith('/approvals/')) {
    return { type: 'success', body: { state: isOver ? 'approved' : 'pending', role: 'finance' } }
  }
  const time = new Date().toISOString()
  const end = isOver
    ? { status: 'completed', outcome: 'success', result: { done: true } }
    : { status: 'working' }
  return { type: 'success', body: { createdAt: time, updatedAt: time, ...end } }
}

function clarified(body: string | undefined): Outcome {
  const given: unknown = JSON.parse(body ?? '{}')
  if (typeof given === 'object' && given !== null && 'goal' in given) return { type: 'success', body: given }
  return {
    type: 'clarification_required',
    message: 'More, please.',
    requiredInputs: [
      {
        name: 'goal',
        location: 'body',
        type: 'string',
        required: true,
        question: 'Which goal?',
        allowedValues: ['ctr', 'conversions'],
      },
    ],
  }
}

function approved(request: InnerRequest): InnerAnswer {
  if (request.headers['X-Approval-Token'] === token)
    return written({ type: 'success', body: { paid: 500 } }, request)
  const outcome: Outcome = {
    type: 'approval_required',
    message: 'Pay 500?',
    approvalToken: token,
    approver: { name: 'Finance' },
  }
  const answer = written(outcome, request)
  return {
    ...answer,
    headers: { ...answer.headers, Location: `/approvals/${request.headers['Idempotency-Key']}` },
  }
}

function written(outcome: Outcome, request: InnerRequest): InnerAnswer {
  const { correlationId = 'none', requestId = 'none' } = readTrace(request.headers)
  return writeOutcome(outcome, { correlationId, requestId })
}
