import { outcomeTypes } from '@agentic-rest/profile'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  badge,
  parseExpectedFailures,
  type Report,
  runConformance,
  textReport,
  UnreachableError,
  writeReport,
} from '../src/index.ts'
import { askWrongService } from './ask-wrong-service.ts'
import { startWrongService } from './wrong-service.ts'

const quick = [
  'row-success',
  'row-conflict',
  'row-error',
  'trace-present',
  'profile-header',
  'stream-content-type',
]

// Two failures: no profile header on conflicts, and no trace in them.
const spoilt = {
  at: 'conflict' as const,
  change(reply: { headers: Record<string, string>; body: { trace?: unknown } }) {
    delete reply.headers['X-Agentic-Profile']
    delete reply.body.trace
  },
}

describe('a report', () => {
  let report: Report
  beforeAll(async () => {
    report = await askWrongService(spoilt, { rules: quick })
  })

  test('has a row for each rule and outcome, with what was expected, what came, the clause and the command', () => {
    const failed = JSON.parse(writeReport(report, 'json')).rows.filter(
      ({ result }: { result: string }) => result === 'fail',
    )
    expect(failed).toEqual([
      {
        rule: 'trace-present',
        outcome: 'conflict',
        result: 'fail',
        title: 'Every vendor-typed body carries a trace with two non-empty ids',
        clause: 'Versioning, rule 6; Errors, rule 1',
        level: 'must',
        observation: 'outcomes.conflict',
        expected: 'a trace with correlationId and requestId',
        got: 'no trace',
        curl: expect.stringMatching(
          /^curl -g -i -X POST .*-H "Authorization: Bearer \$TOKEN_ALICE".*\/clashes'$/,
        ),
      },
      expect.objectContaining({
        rule: 'profile-header',
        outcome: 'conflict',
        result: 'fail',
        expected: 'X-Agentic-Profile: v0.3',
        got: 'no such header',
      }),
    ])
    expect(report.counts).toMatchObject({ fail: 2, expectedFailures: 0 })
  })

  test('says in text how many outcomes were observed, in colour only when asked', () => {
    const text = textReport(report)
    expect(text).toContain('\n10 of 10 outcomes observed\n6 rules: 4 passed, 2 failed, 0 not observed\n')
    expect(text).not.toContain('\u001b')
    expect(textReport(report, { colour: true })).toContain('\u001b[31mFAIL')
  })

  test('is a JUnit file with a case for each row', () => {
    const xml = writeReport(report, 'junit')
    expect(xml.match(/<testcase /g)).toHaveLength(report.rows.length)
    expect(xml.match(/<failure /g)).toHaveLength(2)
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="[^"]+" tests="\d+" failures="2" errors="0"/,
    )
  })

  test('names every place, so that no two cases of a JUnit file are the same', () => {
    const names = [...writeReport(report, 'junit').matchAll(/<testcase (classname="[^"]*" name="[^"]*")/g)]
    expect(names.length).toBeGreaterThan(30)
    expect(new Set(names.map(([, name]) => name)).size).toBe(names.length)
  })

  test('is a Markdown page with the failures first', () => {
    const page = writeReport(report, 'md')
    expect(page.split('\n')[2]).toBe(
      '**10 of 10 outcomes observed.** 6 rules: 4 passed, 2 failed, 0 not observed.',
    )
    expect(page.match(/^## .*/gm)).toEqual([
      '## Every vendor-typed body carries a trace with two non-empty ids',
      '## Every agentic response has the profile header',
      '## Rules',
    ])
  })

  test('is a page that loads and runs nothing', () => {
    const page = writeReport(report, 'html')
    expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;"`)
    expect(page).not.toMatch(/<script|<link|<img|url\(|@import|https?:\/\/(?!127\.0\.0\.1)/)
    expect(page.match(/<details class="rule fail" open>/g)).toHaveLength(2)
  })

  test('lets no text of the page run over its box, and alarms only when there is cause', () => {
    const page = writeReport(report, 'html')
    expect(page).toMatch(/body \{[^}]*overflow-wrap: anywhere/)
    expect(page).toContain('<strong class="fail">2</strong>')
    expect(page).toContain('<strong class="none">0</strong> rules not observed')
  })

  test('has a badge that is red', () => {
    expect(badge(report)).toMatch(/^<svg .*aria-label="agentic profile v0\.3: 2 failed"/)
    expect(badge(report)).toContain('#cf222e')
  })
})

test('the badge is green only when all ten outcomes were observed and nothing failed', async () => {
  const all = await askWrongService({}, { rules: quick })
  expect(badge(all)).toContain('10/10 observed')
  expect(badge(all)).toContain('#1a7f37')
  const { outcomes } = await import('./wrong-service/scenario.ts').then(({ wrongScenario }) => wrongScenario)
  const { conflict: _, ...nine } = outcomes ?? {}
  const some = await askWrongService({}, { rules: quick, scenario: { outcomes: nine } })
  expect(badge(some)).toContain('9/10 observed')
  expect(badge(some)).toContain('#9a6700')
})

test('what has no scenario is not observed, and never passed', async () => {
  const service = await startWrongService()
  const report = await runConformance({ baseUrl: service.url })
  service.close()
  expect(report.outcomes).toEqual({ observed: 0, total: 10, notObserved: outcomeTypes })
  const passed = report.rows.filter(({ result }) => result === 'pass').map(({ rule }) => rule)
  expect(passed).toEqual(['metrics-exposed', 'metrics-types'])
  expect(report.problems).toEqual([
    'nothing of the service was observed: the rules need other requests than those of the scenario',
  ])
  expect(report.counts.fail).toBe(0)
  expect(textReport(report)).toContain('\n0 of 10 outcomes observed\n')
  const row = report.rows.find(({ rule }) => rule === 'row-conflict')
  expect(row).toMatchObject({
    outcome: 'conflict',
    result: 'not_observed',
    reason: 'the scenario has no outcomes.conflict',
  })
})

test('of a service without a gateway, what binds gateways is not observed', async () => {
  const report = await askWrongService({ misbehaves: 'odd-request-ids' }, { scenario: { target: 'service' } })
  expect(report.counts.fail).toBe(0)
  const row = report.rows.find(({ rule }) => rule === 'request-id-generated')
  expect(row).toMatchObject({ result: 'not_observed', reason: 'the target is a service without a gateway' })
})

test('expected failures are no failures, and one that passes is told', async () => {
  const text = '# known\ntrace-present conflict  # ticket 7\nprofile-header\nrow-error error\n'
  const expected = parseExpectedFailures(text, 'known.txt')
  if (!expected.ok) throw new Error('the list is valid')
  const report = await askWrongService(spoilt, { rules: quick, expectedFailures: expected.failures })
  expect(report.counts).toMatchObject({ fail: 0, expectedFailures: 2 })
  const surprises = report.rows.filter(({ result, expectedFailure }) => result === 'pass' && expectedFailure)
  expect(surprises.map(({ rule, outcome }) => `${rule} ${outcome}`)).toContain('row-error error')
  expect(textReport(report)).toMatch(/; 2 failed as expected; \d+ passed and were expected to fail\n/)
  expect(textReport(report)).toContain('error: passed (expected to fail)')
})

test.each([
  {
    text: 'trace-presnt',
    fault: { line: 1, message: 'there is no rule "trace-presnt", did you mean "trace-present"?' },
  },
  {
    text: '\n  row-error eror',
    fault: {
      line: 2,
      column: 3,
      message: 'the rule looks at no outcome or other place "eror", did you mean "error"?',
    },
  },
  {
    text: 'row-error error now',
    fault: { line: 1, message: 'expected a rule and at most one outcome or other place' },
  },
])('a list of expected failures with $text is refused', ({ text, fault }) => {
  expect(parseExpectedFailures(text, 'known.txt')).toMatchObject({ ok: false, faults: [fault] })
})

test('a failure is told with its place, and one that is expected at one place is none elsewhere', async () => {
  const isSpoilt = (reply: { status: number }) => reply.status === 400
  const question = {
    at: 'graph-clarification' as const,
    change(reply: { status: number; body: { requiredInputs: unknown } }) {
      if (isSpoilt(reply)) reply.body.requiredInputs = []
    },
  }
  const rule = 'clarification-inputs'
  const ask = async (text: string) => {
    const known = parseExpectedFailures(text, 'known.txt')
    const expectedFailures = known.ok ? known.failures : expect.fail('the list is refused')
    return await askWrongService(question, { rules: [rule], expectedFailures })
  }
  const elsewhere = await ask(`${rule} clarification_required`)
  expect(elsewhere.counts).toMatchObject({ fail: 1, expectedFailures: 0, unexpectedPasses: 1 })
  expect(textReport(elsewhere)).toContain(' graph.clarification_required: expected ')
  const there = await ask(`${rule} graph.clarification_required`)
  expect(there.counts).toMatchObject({ fail: 0, expectedFailures: 1, unexpectedPasses: 0 })
})

test('nothing that answers is an error of its own, and an unknown rule another', async () => {
  await expect(runConformance({ baseUrl: 'http://127.0.0.1:9' })).rejects.toThrow(UnreachableError)
  await expect(runConformance({ baseUrl: 'http://127.0.0.1:9', rules: ['nonsense'] })).rejects.toThrow(
    RangeError,
  )
})
