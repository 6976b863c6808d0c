import { startService } from '@agentic-rest/testing/start-service'
import { expect, it } from 'vitest'
import * as sdk from '../src/index.ts'
import { ask, expectAnswer } from './harness/ask.ts'

const input = { name: 'goal', location: 'body', type: 'string', required: true, question: 'Which?' } as const

const made = {
  success: [200, sdk.success({ id: '1' }), { id: '1' }],
  created: [201, sdk.created({ id: '1' }), { id: '1' }],
  accepted: [
    202,
    sdk.accepted({ operationId: 'op-1', statusUrl: '/elsewhere/op-1' }),
    { type: 'operation_accepted', operationId: 'op-1', statusUrl: '/elsewhere/op-1' },
  ],
  clarification_required: [
    400,
    sdk.clarificationRequired({ message: 'm', requiredInputs: [input] }),
    { type: 'clarification_required', code: 'CLARIFICATION_REQUIRED', message: 'm', requiredInputs: [input] },
  ],
  validation_failed: [
    422,
    sdk.validationFailed({ message: 'm', errors: [{ field: 'f', message: 'n' }] }),
    {
      type: 'validation_failed',
      code: 'VALIDATION_FAILED',
      message: 'm',
      errors: [{ field: 'f', message: 'n' }],
    },
  ],
  approval_required: [
    412,
    sdk.approvalRequired({ message: 'm', approvalToken: 't', approver: { name: 'Bo' } }),
    {
      type: 'approval_required',
      code: 'APPROVAL_REQUIRED',
      message: 'm',
      approvalToken: 't',
      approver: { name: 'Bo' },
    },
  ],
  forbidden: [
    403,
    sdk.forbidden({ code: 'C', message: 'm' }),
    { type: 'forbidden', code: 'C', message: 'm' },
  ],
  conflict: [
    409,
    sdk.conflict({ code: 'C', message: 'm', conflictingResourceId: 'r' }),
    { type: 'conflict', code: 'C', message: 'm', conflictingResourceId: 'r' },
  ],
  failed_dependency: [
    424,
    sdk.failedDependency({ code: 'C', message: 'm' }),
    { type: 'failed_dependency', code: 'C', message: 'm' },
  ],
  error: [500, sdk.error({ code: 'C', message: 'm' }), { type: 'error', code: 'C', message: 'm' }],
} satisfies Record<sdk.OutcomeType, [number, sdk.Outcome, object]>

it.each(Object.entries(made))(
  '%s has its status, its media type, its body and the trace',
  async (_type, row) => {
    const [status, outcome, body] = row
    const operation = sdk.defineOperation({ id: 'op', method: 'POST', path: '/op', run: () => outcome })
    const { url, log } = await startService({ operations: [operation] })
    expectAnswer(await ask(`${url}/op`, { method: 'POST' }), status, body)
    expect(log).toEqual([])
  },
)

it.each([
  ['an array', [1, 2]],
  ['a text', 'text'],
  ['nothing', null],
])('%s as a body is left as it is', async (_title, body) => {
  const operation = sdk.defineOperation({
    id: 'op',
    method: 'GET',
    path: '/op',
    run: () => sdk.success(body),
  })
  const { url } = await startService({ operations: [operation] })
  const answer = await ask(`${url}/op`)
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, body])
})

it('a condition outside the ten keeps its status', async () => {
  const outcome = sdk.error({ code: 'SLOW_DOWN', message: 'm', condition: 'limit_exceeded', retryAfter: 7 })
  const operation = sdk.defineOperation({ id: 'op', method: 'GET', path: '/op', run: () => outcome })
  const { url } = await startService({ operations: [operation] })
  const answer = await ask(`${url}/op`)
  expectAnswer(answer, 429, { type: 'error', code: 'SLOW_DOWN', message: 'm', retryAfter: 7 })
  expect(answer.headers.get('retry-after')).toBe('7')
})
