import type { ClauseId } from './clauses.ts'
import type { Evidence, Observation, ObservationName } from './observe/observation.ts'
import type { Exchange } from './wire/exchange.ts'

/** What a rule says of one observation. */
export type Verdict =
  | { readonly result: 'pass' }
  | {
      readonly result: 'fail'
      readonly expected: string
      readonly got: string
      /** The exchange that shows it; the last one of the observation when absent. */
      readonly exchange?: Exchange | undefined
    }
  | {
      readonly result: 'not_observed'
      readonly reason: string
      /** The rule itself could not cope with what came. */
      readonly isBroken?: true
    }

/** One rule: a fact, the clause that demands it, and how an observation is judged by it. */
export interface Rule {
  readonly id: string
  readonly clause: ClauseId
  /** The fact that holds when the rule passes. */
  readonly title: string
  readonly level: 'must' | 'should'
  /** A verdict is given for each of these. */
  readonly looksAt: readonly ObservationName[]
  /** The clause binds gateways; of a service alone it cannot be expected. */
  readonly gatewayOnly?: true
  /** The rule is the one that fails when there is no answer at all. */
  readonly judgesSilence?: true
  check(observation: Observation): Verdict
}

/** A verdict with what it is about. */
export interface Judgement {
  readonly rule: Rule
  readonly observation: ObservationName
  readonly verdict: Verdict
  readonly exchange: Exchange | undefined
}

/** Defines a rule. */
export function defineRule(rule: Rule): Rule {
  return rule
}

/** The observation is as the rule says. */
export const pass: Verdict = { result: 'pass' }

/** The observation is not as the rule says. */
export function fail(expected: string, got: string, exchange?: Exchange): Verdict {
  return { result: 'fail', expected, got, exchange }
}

/** The observation says nothing about the rule. */
export function notObserved(reason: string): Extract<Verdict, { result: 'not_observed' }> {
  return { result: 'not_observed', reason }
}

/** All verdicts of one rule. */
export function applyRule(rule: Rule, evidence: Evidence): Judgement[] {
  return rule.looksAt.map((name) => judge(rule, name, evidence))
}

function judge(rule: Rule, name: ObservationName, evidence: Evidence): Judgement {
  const seen = evidence.get(name)
  if ('missing' in seen)
    return { rule, observation: name, verdict: notObserved(seen.missing), exchange: undefined }
  const verdict = verdictOf(rule, seen, evidence.target)
  const exchange =
    verdict.result === 'fail' ? (verdict.exchange ?? seen.exchanges.at(-1)) : seen.exchanges.at(-1)
  return { rule, observation: name, verdict, exchange }
}

function verdictOf(rule: Rule, seen: Observation, target: Evidence['target']): Verdict {
  if (rule.gatewayOnly && target === 'service')
    return notObserved('the target is a service without a gateway')
  const silent = seen.exchanges.find(({ answer }) => answer === undefined)
  if (silent === undefined) return check(rule, seen)
  if (silent.unsent) return notObserved(silent.failure ?? 'it was not sent')
  if (!rule.judgesSilence) return notObserved(`there is no answer: ${silent.failure}`)
  return fail('an answer', silent.failure ?? 'none', silent)
}

/** Whatever a service sends, it does not end the run: a rule that cannot cope with it has seen nothing, and says so. */
function check(rule: Rule, seen: Observation): Verdict {
  try {
    return rule.check(seen)
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'an error'
    return { ...notObserved(`the rule cannot cope with what came: ${kind}`), isBroken: true }
  }
}
