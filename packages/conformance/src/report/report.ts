import { type OutcomeType, outcomes, outcomeTypes, PROFILE_VERSION, printable } from '@agentic-rest/profile'
import { clauses } from '../clauses.ts'
import { covers, type ExpectedFailure } from '../expected-failures.ts'
import type { Judgement } from '../rule.ts'
import { curlCommand } from '../wire/curl-command.ts'
import type { Bearer } from '../wire/exchange.ts'
import { shorten } from './escape.ts'

/** The verdict of one rule on one observation, without secrets and control characters. */
export interface ReportRow {
  readonly rule: string
  /** The expected outcome, if the rule is about one. */
  readonly outcome: OutcomeType | null
  readonly result: 'pass' | 'fail' | 'not_observed'
  /** The fact that the rule checks. */
  readonly title: string
  /** The section and rule of the specification. */
  readonly clause: string
  readonly level: 'must' | 'should'
  /** The name of the observation. */
  readonly observation: string
  readonly expected?: string
  readonly got?: string
  /** Why nothing was observed. */
  readonly reason?: string
  /** The exchange as a curl command. `$TOKEN_ALICE` is the token alice. */
  readonly curl?: string
  /** The failure is in the list of expected failures, even if it did not occur. */
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
  /** Errors in parts of the scenario. */
  readonly problems: readonly string[]
  readonly rows: readonly ReportRow[]
}

/** The parts of a report. */
interface ReportParts {
  readonly judgements: readonly Judgement[]
  readonly baseUrl: string
  readonly startedAt: Date
  readonly seconds: number
  readonly problems: readonly string[]
  readonly secrets: readonly Bearer[]
  readonly expectedFailures: readonly ExpectedFailure[]
}

const LONGEST_TEXT = 600

/** Creates the report from all verdicts. */
export function createReport(parts: ReportParts): Report {
  const clean = createCleaner(parts.secrets)
  const cleanCommand = createCleaner(parts.secrets, quoted)
  const rows = parts.judgements.map((judgement) =>
    toRow(judgement, { clean, cleanCommand }, parts.expectedFailures),
  )
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
    problems: problemsOf(parts).map((problem) => clean(problem, LONGEST_TEXT)),
    rows,
  }
}

// These observations do not involve the service.
const aside: readonly string[] = ['metrics', 'packages', 'fixtures']

/** The problems of a run. A run without any observation of the service is a problem too. */
function problemsOf({ problems, judgements }: ReportParts): readonly string[] {
  const broken = judgements.flatMap(({ rule, observation, verdict }) =>
    verdict.result === 'not_observed' && verdict.isBroken
      ? [`${rule.id}, ${observation}: ${verdict.reason}`]
      : [],
  )
  const all = [...problems, ...broken]
  const ofService = judgements.filter(({ observation }) => !aside.includes(observation))
  const sawNothing = ofService.every(({ verdict }) => verdict.result === 'not_observed')
  if (all.length > 0 || ofService.length === 0 || !sawNothing) return all
  return ['nothing of the service was observed: the rules need other requests than those of the scenario']
}

/** Cleans a text and optionally limits its length. */
type Cleaner = (text: string, length?: number) => string

const SHORTEST_SECRET = 6

/** Removes tokens from text of a service and makes the rest printable. */
function createCleaner(
  secrets: readonly Bearer[],
  show: (secret: Bearer) => Bearer = (secret) => secret,
): Cleaner {
  const known = secrets
    .flatMap((secret) => [secret, withoutSignature(secret)])
    .map(show)
    .filter(({ text }) => text.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.text.length - a.text.length)
  return (text, length = Number.POSITIVE_INFINITY) => {
    const without = known.reduce((rest, secret) => rest.replaceAll(secret.text, () => secret.shown), text)
    return printable(shorten(without, length))
  }
}

/** Hides the claims of a token too. A forged token contains the same claims. */
function withoutSignature({ text, shown }: Bearer): Bearer {
  return { text: text.replace(/\.[^.]*$/, ''), shown: `\${${shown.slice(1)}%.*}` }
}

/** A shell does not expand variables inside single quotes, so the quotes end before the variable and start again after it. */
function quoted({ text, shown }: Bearer): Bearer {
  return { text, shown: `'"${shown}"'` }
}

interface Cleaners {
  readonly clean: Cleaner
  readonly cleanCommand: Cleaner
}

function toRow(
  { rule, observation, verdict, exchange }: Judgement,
  { clean, cleanCommand }: Cleaners,
  expectedFailures: readonly ExpectedFailure[],
): ReportRow {
  const isExpected = expectedFailures.some((each) => covers(each, rule.id, observation))
  return {
    rule: rule.id,
    outcome: outcomeOf(observation),
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
    ...(exchange !== undefined && { curl: cleanCommand(curlCommand(exchange.request)) }),
    ...(isExpected && verdict.result !== 'not_observed' && { expectedFailure: true }),
  }
}

function outcomeOf(observation: string): OutcomeType | null {
  const name = /^(?:outcomes|graph)\.(.+)$/.exec(observation)?.[1]
  return outcomeTypes.find((type) => type === name) ?? null
}

/** The outcomes with an observed answer of their row. An answer that does not convince the rule of its row is none. */
function observedOutcomes(judgements: readonly Judgement[]): OutcomeType[] {
  return outcomeTypes.filter((type) => {
    const { status, mediaType } = outcomes[type]
    const isDoubted = judgements.some(
      ({ rule, verdict }) => rule.clause === `table.${type}` && verdict.result === 'not_observed',
    )
    if (isDoubted) return false
    return judgements.some(
      ({ observation, exchange }) =>
        observation === `outcomes.${type}` &&
        exchange?.answer?.status === status &&
        exchange.answer.essence === mediaType,
    )
  })
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

/** The result of a rule: fail before pass before not observed. */
export function worstOf(rows: readonly ReportRow[]): ReportRow['result'] {
  const results = rows.map(({ result }) => result)
  if (results.includes('fail')) return 'fail'
  return results.includes('pass') ? 'pass' : 'not_observed'
}
