import { expect, it } from 'vitest'
import { type ProfileVersion, profileVersions } from './outcomes.ts'
import { loadSchema, validateBody } from './validate.ts'

const trace = { correlationId: 'c', requestId: 'r' }

it.each(profileVersions)('chooses the schema of %s by the type of the body', (version) => {
  const conflict = { type: 'conflict', code: 'X', message: '', trace }
  expect(validateBody(conflict, { version })).toEqual({ valid: true, errors: [] })
  expect(validateBody({ ...conflict, type: 'error' }, { version }).valid).toBe(true)
  expect(loadSchema(version, 'conflict')['$id']).toBe(`urn:agentic-rest:profile:${version}:conflict`)
})

it('names everything that is wrong, with pointers', () => {
  const body = {
    type: 'clarification_required',
    code: 'NO',
    requiredInputs: [{ 'a/b': 1 }],
    trace: { ...trace, requestId: '' },
  }
  expect(validateBody(body).errors.map((error) => `${error.pointer} ${error.message}`)).toEqual([
    '/message is required',
    '/code must be "CLARIFICATION_REQUIRED"',
    '/requiredInputs/0/name is required',
    '/requiredInputs/0/location is required',
    '/requiredInputs/0/type is required',
    '/requiredInputs/0/required is required',
    '/requiredInputs/0/question is required',
    '/requiredInputs/0/a~1b is not part of this body',
    '/trace/requestId must not be empty',
  ])
})

it.each([
  [{ type: 'success', trace }, '/type', 'enum'],
  [{ type: '__proto__', trace }, '/type', 'enum'],
  [{ trace }, '/type', 'required'],
  [null, '', 'type'],
  [[], '', 'type'],
  ['conflict', '', 'type'],
])('refuses %j, whose type it does not know', (body, pointer, rule) => {
  expect(validateBody(body)).toMatchObject({ valid: false, errors: [{ pointer, rule }] })
})

it('refuses a version that does not exist, by name', () => {
  const version = '../v0.3' as ProfileVersion
  expect(() => validateBody({}, { version })).toThrow(
    'there is no profile version "../v0.3": v0.1, v0.2, v0.3',
  )
})

it('does not count inherited members', () => {
  const body = Object.create({ type: 'conflict', code: 'X', message: '', trace })
  expect(validateBody(body).valid).toBe(false)
})
