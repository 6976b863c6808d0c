import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type BodyOf,
  type Outcome,
  type OutcomeType,
  outcomes,
  outcomeTypes,
  type Success,
} from '../src/index.ts'

function statusWords(outcome: Outcome): string {
  switch (outcome.type) {
    case 'success':
    case 'created':
      return 'done'
    case 'accepted':
      return outcome.statusUrl
    case 'clarification_required':
      return outcome.requiredInputs[0].question
    case 'validation_failed':
      return outcome.errors.map((error) => error.field).join()
    case 'approval_required':
      return outcome.approvalToken
    case 'forbidden':
    case 'conflict':
    case 'failed_dependency':
    case 'error':
      return outcome.code
  }
}

// @ts-expect-error a switch that forgets `error` does not return on every path
function forgotten(outcome: Outcome): string {
  switch (outcome.type) {
    case 'success':
    case 'created':
    case 'accepted':
    case 'clarification_required':
    case 'validation_failed':
    case 'approval_required':
    case 'forbidden':
    case 'conflict':
    case 'failed_dependency':
      return outcome.type
  }
}

const nine = {
  success: 1,
  created: 1,
  accepted: 1,
  clarification_required: 1,
  validation_failed: 1,
  approval_required: 1,
  forbidden: 1,
  conflict: 1,
  failed_dependency: 1,
}

describe('the outcome union', () => {
  it('has exactly the types of the table', () => {
    expectTypeOf<Outcome['type']>().toEqualTypeOf<OutcomeType>()
    expectTypeOf<OutcomeType>().toEqualTypeOf<keyof typeof outcomes>()
    expect(outcomeTypes).toHaveLength(10)
  })

  it('refuses to compile where a case is forgotten', () => {
    // @ts-expect-error `error` is missing
    nine satisfies Record<OutcomeType, number>
    expect(statusWords({ type: 'error', code: 'X', message: '' })).toBe('X')
    expect(forgotten({ type: 'success', body: null })).toBe('success')
  })

  it('is generic in the bodies of success and created', () => {
    type Typed = Outcome<{ id: string }, { made: true }>
    expectTypeOf<Extract<Typed, { type: 'success' }>>().toEqualTypeOf<Success<{ id: string }>>()
    expectTypeOf<Extract<Typed, { type: 'created' }>['body']>().toEqualTypeOf<{ made: true }>()
    expectTypeOf<BodyOf<'clarification_required'>['code']>().toEqualTypeOf<'CLARIFICATION_REQUIRED'>()
    expectTypeOf<BodyOf<'accepted'>['type']>().toEqualTypeOf<'operation_accepted'>()
  })

  it('does not accept an empty list of required inputs', () => {
    // @ts-expect-error at least one element
    const outcome: Outcome = { type: 'clarification_required', message: '', requiredInputs: [] }
    expect(outcome.type).toBe('clarification_required')
  })

  it('has the fixed statuses as literal types', () => {
    expectTypeOf<(typeof outcomes)['approval_required']['status']>().toEqualTypeOf<412>()
    expect(Object.keys(outcomes)).toEqual([...outcomeTypes])
  })
})
