import { expect, it } from 'vitest'
import { outcomeViolations, readOutcome } from './read-outcome.ts'

const trace = { correlationId: 'c', requestId: 'r' }
const forbidden = { type: 'forbidden', code: 'INSUFFICIENT_ROLES', message: 'A role is missing.', trace }
const answer = (status: number, mediaType: string | undefined, body: unknown) =>
  readOutcome({
    status,
    headers: { 'content-type': mediaType },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const violation = (rule: string, pointer: string, message: string) => ({
  ok: false,
  violations: [{ rule, pointer, message }],
})
const error = 'application/vnd.agentic.error+json'

it('reads an answer whose media type has another case and parameters', () => {
  expect(answer(403, 'Application/Vnd.Agentic.Error+JSON; charset=utf-8', forbidden)).toEqual({
    ok: true,
    outcome: { type: 'forbidden', code: 'INSUFFICIENT_ROLES', message: 'A role is missing.' },
    trace,
    profile: undefined,
  })
})

it('reads an HTTP condition outside the ten as an error that names it', () => {
  const body = { type: 'error', code: 'LIMIT_EXCEEDED', message: 'Too many.', retryAfter: 60, trace }
  expect(answer(429, error, body)).toMatchObject({
    ok: true,
    outcome: { type: 'error', code: 'LIMIT_EXCEEDED', condition: 'limit_exceeded', retryAfter: 60 },
  })
})

it('keeps a member that the service calls trace and that is none', () => {
  expect(answer(200, 'application/json', { trace: ['a', 'b'] })).toMatchObject({
    outcome: { type: 'success', body: { trace: ['a', 'b'] } },
    trace: undefined,
  })
})

it.each([
  ['an unknown status', 418, error, forbidden, 'status', '', 'status 418 is not part of the profile'],
  [
    'a media type of another row',
    403,
    'application/json',
    forbidden,
    'media_type',
    '',
    'status 403 has media type application/vnd.agentic.error+json, got application/json',
  ],
  [
    'no media type',
    200,
    undefined,
    {},
    'media_type',
    '',
    'status 200 has media type application/json, got no media type',
  ],
  ['a body that is not JSON', 200, 'application/json', '{', 'json', '', 'the body is not JSON'],
  ['an empty body', 201, 'application/json', '', 'json', '', 'the body is not JSON'],
  [
    'the type of another status',
    424,
    error,
    forbidden,
    'schema.const',
    '/type',
    'must be "failed_dependency" with this status',
  ],
  [
    'a time to wait outside a limit',
    500,
    error,
    { ...forbidden, type: 'error', retryAfter: 1 },
    'retry_after',
    '/retryAfter',
    'belongs to a limit that was exceeded',
  ],
  [
    'a body without trace',
    403,
    error,
    { ...forbidden, trace: undefined },
    'schema.required',
    '/trace',
    'is required',
  ],
  [
    'a prototype as member',
    403,
    error,
    JSON.stringify(forbidden).replace('{', '{"__proto__":{},'),
    'schema.additionalProperties',
    '/__proto__',
    'is not part of this body',
  ],
] as const)('refuses %s', (_title, status, mediaType, body, rule, pointer, message) => {
  expect(answer(status, mediaType, body)).toEqual(violation(rule, pointer, message))
})

it('reports every fault of a body at once', () => {
  const reading = answer(403, error, { type: 'forbidden', detail: 1 })
  expect(reading.ok ? [] : reading.violations.map((one) => one.pointer)).toEqual([
    '/code',
    '/message',
    '/trace',
    '/detail',
  ])
})

const rules = (status: number, essence: string | undefined, body?: unknown) =>
  outcomeViolations({ status, essence, body }).map((one) => one.rule)

it('judges what a service answers by its row', () => {
  expect(rules(200, 'application/json')).toEqual([])
  expect(rules(200, 'text/html')).toEqual(['media_type'])
  expect(rules(403, error, forbidden)).toEqual([])
  expect(rules(403, error, { ...forbidden, code: 7 })).toEqual(['schema.type'])
  expect(rules(424, error, forbidden)).toEqual(['schema.const'])
  expect(rules(400, error, forbidden)).toEqual(['media_type'])
})

it('lets statuses outside the ten pass when untyped, or with a valid generic error body', () => {
  expect([rules(204, undefined), rules(302, 'text/html'), rules(404, 'text/plain')]).toEqual([[], [], []])
  expect(rules(418, error, forbidden)).toEqual([])
  expect(rules(418, error, { ...forbidden, trace: 1 })).toEqual(['schema.type'])
  expect(rules(418, 'application/vnd.agentic.conflict+json', forbidden)).toEqual(['media_type'])
  expect(rules(404, error, { ...forbidden, type: 'error' })).toEqual([])
  expect(rules(404, error, forbidden)).toEqual(['schema.const'])
  expect(rules(429, error, { ...forbidden, type: 'error', retryAfter: 1 })).toEqual([])
})
