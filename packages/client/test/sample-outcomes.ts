import type { Condition, Outcome, OutcomeType } from '@agentic-rest/profile'

/** One outcome of each type. */
export const sampleOutcomes = {
  success: { type: 'success', body: { stock: 7 } },
  created: { type: 'created', body: { id: 'opt-1' } },
  accepted: { type: 'accepted', operationId: 'op-1', statusUrl: '/operations/op-1/status' },
  clarification_required: {
    type: 'clarification_required',
    message: 'The goal is missing.',
    requiredInputs: [
      {
        name: 'goal',
        location: 'body',
        type: 'string',
        required: true,
        question: 'What should improve?',
        allowedValues: ['ctr', 'reach'],
      },
    ],
  },
  validation_failed: {
    type: 'validation_failed',
    message: 'The budget is wrong.',
    errors: [{ field: 'budget', message: 'must not be negative' }],
  },
  approval_required: {
    type: 'approval_required',
    message: 'A manager has to agree.',
    approvalToken: 'token-1',
    approver: { name: 'manager' },
  },
  forbidden: { type: 'forbidden', code: 'NO_BUDGET_ROLE', message: 'You may not.' },
  conflict: {
    type: 'conflict',
    code: 'ALREADY_RUNNING',
    message: 'One is running.',
    conflictingResourceId: 'opt-0',
  },
  failed_dependency: { type: 'failed_dependency', code: 'INVENTORY_DOWN', message: 'No inventory.' },
  error: { type: 'error', code: 'MODEL_FAILED', message: 'The model failed.' },
} as const satisfies Record<OutcomeType, Outcome>

/** One outcome of each condition outside the ten outcomes. */
export const sampleConditions = {
  unauthenticated: {
    type: 'error',
    condition: 'unauthenticated',
    code: 'MISSING_TOKEN',
    message: 'No token.',
  },
  not_found: { type: 'error', condition: 'not_found', code: 'NOT_FOUND', message: 'Not here.' },
  method_not_allowed: {
    type: 'error',
    condition: 'method_not_allowed',
    code: 'METHOD_NOT_ALLOWED',
    message: 'Not so.',
  },
  too_large: { type: 'error', condition: 'too_large', code: 'BODY_TOO_LARGE', message: 'Too much.' },
  limit_exceeded: {
    type: 'error',
    condition: 'limit_exceeded',
    code: 'LIMIT_EXCEEDED',
    message: 'Too many.',
    retryAfter: 2,
  },
  unavailable: { type: 'error', condition: 'unavailable', code: 'OVERLOADED', message: 'Not now.' },
} as const satisfies Record<Condition, Outcome>
