import type { ClauseId } from './clauses.ts'
import type { Evidence, Observation, ObservationName } from './observe/observation.ts'
import type { Exchange } from './wire/exchange.ts'

/** The verdict of a rule on one observation. */
export type Verdict =
  | { readonly result: 'pass' }
  | {
      readonly result: 'fail'
      readonly expected: string
      readonly got: string
      /** The exchange that shows the failure; the last one of the observation by default. */
      readonly exchange?: Exchange | undefined
    }
  | {
      readonly result: 'not_observed'
      readonly reason: string
      /** The rule threw an error for this answer. */
      readonly isBroken?: true
    }

/** One rule: a fact, its clause, and the check of an observation. */
export interface Rule {
  readonly id: string
  readonly clause: ClauseId
  /** The fact that is true when the rule passes. */
  readonly title: string
  readonly level: 'must' | 'should'
  /** The observations; each gets a verdict. */
  readonly looksAt: readonly ObservationName[]
  /** The clause applies to gateways, not to a service without one. */
  readonly gatewayOnly?: true
  /** This rule fails when there is no answer. Other rules are then not observed. */
  readonly judgesSilence?: true
  check(observation: Observation): Verdict
}

/** A verdict with its rule and observation. */
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

/** The observation satisfies the rule. */
export const pass: Verdict = { result: 'pass' }

/** The observation violates the rule. */
export function fail(expected: string, got: string, exchange?: Exchange): Verdict {
  return { result: 'fail', expected, got, exchange }
}

/** The observation does not show whether the rule holds. */
export function notObserved(reason: string): Extract<Verdict, { result: 'not_observed' }> {
  return { result: 'not_observed', reason }
}

/** Applies one rule to all its observations. */
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

/** Runs a rule. An exception does not end the run: the rule is then not observed, with a reason. */
function check(rule: Rule, seen: Observation): Verdict {
  try {
    return rule.check(seen)
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'an error'
    return { ...notObserved(`the rule failed on this answer: ${kind}`), isBroken: true }
  }
}
