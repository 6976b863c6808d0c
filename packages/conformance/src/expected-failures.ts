import { outcomeTypes } from '@agentic-rest/profile'
import { printable } from './report/printable.ts'
import { rules } from './rules.ts'
import { didYouMean } from './scenario/did-you-mean.ts'
import type { ScenarioFault } from './scenario/parse-scenario.ts'

/** A failure that is known: of a rule, or of a rule with one outcome. */
export interface ExpectedFailure {
  readonly rule: string
  readonly outcome: string | undefined
}

/** The failures that a file lists, or what is wrong with it. */
export type ExpectedFailuresResult =
  | { readonly ok: true; readonly failures: readonly ExpectedFailure[] }
  | { readonly ok: false; readonly faults: readonly ScenarioFault[] }

/** Reads a list of known failures: a rule a line, an outcome behind it if it fails with that alone, `#` before a remark. */
export function parseExpectedFailures(text: string, file: string): ExpectedFailuresResult {
  const failures: ExpectedFailure[] = []
  const faults: ScenarioFault[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [rule, outcome, ...rest] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (rule === undefined || rule === '') continue
    const message = faultOf(rule, outcome, rest)
    if (message === undefined) failures.push({ rule, outcome })
    else faults.push({ file, line: index + 1, column: line.search(/\S/) + 1, path: '', message })
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, failures }
}

function faultOf(rule: string, outcome: string | undefined, rest: readonly string[]): string | undefined {
  if (rest.length > 0) return 'expected a rule and at most one outcome'
  const unknown = unknownRule(rule)
  if (unknown !== undefined || outcome === undefined) return unknown
  if ((outcomeTypes as readonly string[]).includes(outcome)) return undefined
  return `there is no outcome "${printable(outcome)}"${didYouMean(outcome, outcomeTypes)}`
}

/** What is wrong with the name of a rule, if anything. */
export function unknownRule(id: string): string | undefined {
  const known = rules.map((rule) => rule.id)
  return known.includes(id) ? undefined : `there is no rule "${printable(id)}"${didYouMean(id, known)}`
}
