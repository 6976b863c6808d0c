import { type OutcomeType, outcomeTypes, PROFILE_VERSION } from '@agentic-rest/profile'
import { clauses } from '../clauses.ts'
import type { ExpectedFailure } from '../expected-failures.ts'
import type { Judgement } from '../rule.ts'
import { curlCommand } from '../wire/curl-command.ts'
import { printable, shorten } from './printable.ts'

/** The verdict of one rule on one observation, ready to be shown: no secret and no control character is in it. */
export interface ReportRow {
  readonly rule: string
  /** The outcome that was to be seen, when the rule is about one. */
  readonly outcome: OutcomeType | null
  readonly result: 'pass' | 'fail' | 'not_observed'
  /** The fact that the rule checks. */
  readonly title: string
  /** The section and rule of the specification. */
  readonly clause: string
  readonly level: 'must' | 'should'
  /** What was looked at. */
  readonly observation: string
  readonly expected?: string
  readonly got?: string
  /** Why nothing was observed. */
  readonly reason?: string
  /** The exchange as a command; `$TOKEN` stands for the token. */
  readonly curl?: string
  /** The failure is listed as expected; or it is, and does not occur. */
  readonly expectedFailure?: true
}

/** The result of one run. */
export interface Report {
  readonly profile: string
  readonly baseUrl: string
  readonly startedAt: string
  readonly seconds: number
  readonly outcomes: {
    readonly observed: number
    readonly total: number
    readonly notObserved: readonly OutcomeType[]
  }
  readonly counts: {
    readonly pass: number
    /** Failures that are not expected. */
    readonly fail: number
    readonly expectedFailures: number
    /** Failures that are expected and did not occur. */
    readonly unexpectedPasses: number
    readonly notObserved: number
  }
  /** What kept parts of the scenario from being carried out. */
  readonly problems: readonly string[]
  readonly rows: readonly ReportRow[]
}

/** What a report is made of. */
export interface ReportParts {
  readonly judgements: readonly Judgement[]
  readonly baseUrl: string
  readonly startedAt: Date
  readonly seconds: number
  readonly problems: readonly string[]
  readonly secrets: readonly string[]
  readonly expectedFailures: readonly ExpectedFailure[]
}

const LONGEST_TEXT = 600
const LONGEST_COMMAND = 4000

/** Makes a report of what the rules said. */
export function createReport(parts: ReportParts): Report {
  const clean = createCleaner(parts.secrets)
  const rows = parts.judgements.map((judgement) => toRow(judgement, clean, parts.expectedFailures))
  const observed = observedOutcomes(parts.judgements)
  return {
    profile: PROFILE_VERSION,
    baseUrl: clean(parts.baseUrl, LONGEST_TEXT),
    startedAt: parts.startedAt.toISOString(),
    seconds: Math.round(parts.seconds * 100) / 100,
    outcomes: {
      observed: observed.length,
      total: outcomeTypes.length,
      notObserved: outcomeTypes.filter((type) => !observed.includes(type)),
    },
    counts: countRows(rows),
    problems: parts.problems.map((problem) => clean(problem, LONGEST_TEXT)),
    rows,
  }
}

type Cleaner = (text: string, length: number) => string

const SHORTEST_SECRET = 6

/** Takes tokens out of a text wherever a service has put them, and makes the rest safe to print. */
function createCleaner(secrets: readonly string[]): Cleaner {
  const known = secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
  return (text, length) => {
    const without = known.reduce((rest, secret) => rest.replaceAll(secret, '$TOKEN'), text)
    return printable(shorten(without, length))
  }
}

function toRow(
  { rule, observation, verdict, exchange }: Judgement,
  clean: Cleaner,
  expectedFailures: readonly ExpectedFailure[],
): ReportRow {
  const outcome = outcomeOf(observation)
  const isExpected = expectedFailures.some(
    (each) => each.rule === rule.id && (each.outcome === undefined || each.outcome === outcome),
  )
  return {
    rule: rule.id,
    outcome,
    result: verdict.result,
    title: rule.title,
    clause: clauses[rule.clause].where,
    level: rule.level,
    observation,
    ...(verdict.result === 'fail' && {
      expected: clean(verdict.expected, LONGEST_TEXT),
      got: clean(verdict.got, LONGEST_TEXT),
    }),
    ...(verdict.result === 'not_observed' && { reason: clean(verdict.reason, LONGEST_TEXT) }),
    ...(exchange !== undefined && { curl: clean(curlCommand(exchange.request), LONGEST_COMMAND) }),
    ...(isExpected && verdict.result !== 'not_observed' && { expectedFailure: true }),
  }
}

function outcomeOf(observation: string): OutcomeType | null {
  const name = /^(?:outcomes|graph)\.(.+)$/.exec(observation)?.[1]
  return outcomeTypes.find((type) => type === name) ?? null
}

/** An outcome is observed when its request got an answer: then its row is known to be kept, or not. */
function observedOutcomes(judgements: readonly Judgement[]): OutcomeType[] {
  return outcomeTypes.filter((type) =>
    judgements.some(
      ({ observation, exchange }) => observation === `outcomes.${type}` && exchange?.answer !== undefined,
    ),
  )
}

function countRows(rows: readonly ReportRow[]): Report['counts'] {
  const count = (test: (row: ReportRow) => boolean) => rows.filter(test).length
  return {
    pass: count(({ result }) => result === 'pass'),
    fail: count(({ result, expectedFailure }) => result === 'fail' && !expectedFailure),
    expectedFailures: count(({ result, expectedFailure }) => result === 'fail' && expectedFailure === true),
    unexpectedPasses: count(({ result, expectedFailure }) => result === 'pass' && expectedFailure === true),
    notObserved: count(({ result }) => result === 'not_observed'),
  }
}

/** The rows of each rule, in the order of the report. */
export function rowsByRule({ rows }: Report): ReadonlyMap<string, readonly ReportRow[]> {
  return Map.groupBy(rows, ({ rule }) => rule)
}

/** The result of a rule: its worst, where seeing nothing says less than seeing something. */
export function worstOf(rows: readonly ReportRow[]): ReportRow['result'] {
  const results = rows.map(({ result }) => result)
  if (results.includes('fail')) return 'fail'
  return results.includes('pass') ? 'pass' : 'not_observed'
}
