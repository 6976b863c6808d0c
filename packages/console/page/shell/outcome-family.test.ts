import { conditions, outcomes, outcomeTypes } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { familyOf, outcomeLabel, outcomeWords, statusOfOutcome } from './outcome-family.ts'

test('the ten outcomes fall into five families', () => {
  expect(outcomeTypes.map((type) => [type, familyOf(type)])).toEqual([
    ['success', 'done'],
    ['created', 'done'],
    ['accepted', 'background'],
    ['clarification_required', 'asks'],
    ['validation_failed', 'refused'],
    ['approval_required', 'asks'],
    ['forbidden', 'refused'],
    ['conflict', 'refused'],
    ['failed_dependency', 'failed'],
    ['error', 'failed'],
  ])
})

test.each(['', 'constructor', '__proto__', 'something new'])('%j is looked at as a failure', (name) => {
  expect(familyOf(name)).toBe('failed')
  expect(statusOfOutcome(name)).toBeUndefined()
})

test('an outcome and a condition have the status of the profile, an error any', () => {
  for (const type of outcomeTypes.filter((each) => each !== 'error'))
    expect(statusOfOutcome(type)).toBe(outcomes[type].status)
  expect(statusOfOutcome('error')).toBeUndefined()
  expect(statusOfOutcome('limit_exceeded')).toBe(conditions.limit_exceeded)
})

test('a condition says more than error', () => {
  expect(outcomeLabel('error', conditions.not_found)).toBe('not_found')
  expect(outcomeLabel('error', outcomes.error.status)).toBe('error')
  expect(outcomeLabel('conflict', outcomes.conflict.status)).toBe('conflict')
  expect(outcomeWords('clarification_required')).toBe('clarification required')
})
