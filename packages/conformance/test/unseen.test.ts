import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readTrace, writeOutcome } from '@agentic-rest/profile'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { type ConformanceOptions, type Report, runConformance } from '../src/index.ts'
import { createEvidence } from '../src/observe/observation.ts'
import { createReport } from '../src/report/report.ts'
import { applyRule, defineRule } from '../src/rule.ts'
import { askWrongService } from './ask-wrong-service.ts'
import { wrongScenario, wrongTokens } from './wrong-service/scenario.ts'

type Answering = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

/** Runs the scenario of the wrong service against a service with one answer for all requests. */
async function ask(answer: Answering, options: Partial<ConformanceOptions> = {}): Promise<Report> {
  const { url: baseUrl } = await startServer((request, response) => void answer(request, response))
  return await runConformance({ baseUrl, scenario: wrongScenario, env: wrongTokens, ...options })
}

const failDependency: Answering = (request, response) => {
  const { correlationId = 'c', requestId = 'r' } = readTrace(request.headers)
  const outcome = { type: 'failed_dependency', code: 'DOWN', message: 'Down.' } as const
  const { status, headers, body } = writeOutcome(outcome, { correlationId, requestId })
  response.writeHead(status, headers).end(body)
}

const html: Answering = (_, response) =>
  void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')

const needContrast = [
  'clarification-shape',
  'clarification-inputs',
  'missing-token-refused',
  'invalid-token-refused',
  'foreign-tenant-refused',
  'stream-needs-accept',
  'media-type-fixed',
]

test('a service that always fails shows neither clarifications, nor refusals, nor streams', async () => {
  const { rows } = await ask(failDependency, { rules: needContrast })
  expect(rows.filter(({ result }) => result !== 'not_observed')).toEqual([])
})

test('an outcome is observed when its row was seen, and not for any answer', async () => {
  const rules = ['row-success', 'row-conflict', 'row-failed-dependency', 'trace-present']
  expect((await ask(html, { rules })).outcomes.observed).toBe(0)
  const { outcomes } = await ask(failDependency, { rules })
  expect(outcomes.observed).toBe(1)
  expect(outcomes.notObserved).not.toContain('failed_dependency')
})

test.each([
  ['no caller is named that the route admits', {}, /^the scenario names no caller/],
  [
    'the route forbids everybody',
    { admits: { token: 'alice' } },
    /^the route refuses the admitted caller too$/,
  ],
])('forbidden is not observed when %s', async (_, admits, reason) => {
  const forbidden = { request: { method: 'POST', path: '/secrets', token: 'bob' } as const, ...admits }
  const { rows, outcomes } = await askWrongService(
    { misbehaves: 'forbids-everybody' },
    { rules: ['row-forbidden', 'trace-present'], scenario: { outcomes: { forbidden } } },
  )
  const row = rows.find(({ rule }) => rule === 'row-forbidden')
  expect(row).toMatchObject({ result: 'not_observed', reason: expect.stringMatching(reason) })
  expect(outcomes.observed).toBe(0)
})

test.each([
  ['shows no headers', '/items', 'not_observed', undefined],
  ['refuses forged headers', '/echo', 'pass', 'refuses-forged-headers'],
] as const)('an upstream that %s is judged by that', async (_, path, result, misbehaves) => {
  const echo = { request: { method: 'POST', path, body: {} } } as const
  const rules = ['forged-identity-dropped']
  const { rows } = await askWrongService({ misbehaves }, { rules, scenario: { echo } })
  expect(rows).toMatchObject([{ observation: 'echo', result }])
})

test('a stream of one event does not show whether it is flushed', async () => {
  const { rows } = await ask(
    async (_, response) => {
      // Wait: the service is slow on purpose.
      await pause(300)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: all\n\n')
    },
    { rules: ['stream-flushed'] },
  )
  expect(rows).toMatchObject([
    { result: 'not_observed', reason: 'a single event does not show whether streams are buffered' },
  ])
})

test.each([
  { title: 'no corpus is named', scenario: { fixtures: undefined }, rule: 'fixtures-agree' },
  {
    title: 'the package is private and says nothing',
    scenario: { packages: ['private.json'] },
    rule: 'package-declaration',
  },
])('of files nothing is observed when $title', async ({ scenario, rule }) => {
  const folder = join(import.meta.dirname, 'files')
  const { rows } = await ask(html, { scenario: { ...wrongScenario, ...scenario }, rules: [rule], folder })
  expect(rows).toMatchObject([{ rule, result: 'not_observed' }])
})

test('a scenario without a request that shows anything of a service is a problem', async () => {
  const problem =
    'nothing of the service was observed: the rules need other requests than those of the scenario'
  expect((await ask(html, { scenario: { target: 'service' } })).problems).toEqual([problem])
  const { packages } = wrongScenario
  expect((await ask(html, { scenario: { target: 'service', packages } })).problems).toEqual([problem])
  const files = await ask(html, { scenario: { packages }, rules: ['package-declaration'] })
  expect(files).toMatchObject({ problems: [], counts: { pass: 1 } })
})

test('without a success, a creation shows that access is guarded', async () => {
  const { created } = wrongScenario.outcomes ?? {}
  const access = ['missing-token-refused', 'invalid-token-refused', 'foreign-tenant-refused']
  const { rows } = await askWrongService({}, { rules: access, scenario: { outcomes: { created } } })
  expect(rows.map(({ observation, result }) => `${observation} ${result}`)).toEqual([
    'token.missing pass',
    'token.invalid pass',
    'token.forged pass',
    'tenant.foreign pass',
  ])
})

test('a rule that cannot cope with an answer has seen nothing, and the report says so', () => {
  const rule = defineRule({
    id: 'row-error',
    clause: 'table.error',
    title: 'It breaks',
    level: 'must',
    looksAt: ['outcomes.error'],
    check: () => {
      throw new TypeError('Invalid URL')
    },
  })
  const evidence = createEvidence('gateway', [{ name: 'outcomes.error', exchanges: [] }])
  const report = createReport({
    judgements: applyRule(rule, evidence),
    baseUrl: 'http://127.0.0.1',
    startedAt: new Date(0),
    seconds: 0,
    problems: [],
    secrets: [],
    expectedFailures: [],
  })
  const reason = 'the rule failed on this answer: TypeError'
  expect(report.rows).toMatchObject([{ result: 'not_observed', reason }])
  expect(report.problems).toEqual([`row-error, outcomes.error: ${reason}`])
})
