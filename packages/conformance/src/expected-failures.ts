import { printable } from '@agentic-rest/profile'
import { rules } from './rules.ts'
import { didYouMean } from './scenario/did-you-mean.ts'
import type { ScenarioFault } from './scenario/parse-scenario.ts'

/** A known failure of a rule, everywhere or at one place. */
export interface ExpectedFailure {
  readonly rule: string
  /** An outcome, or another place of the rule such as `limit` or `graph.failed_dependency`. */
  readonly place: string | undefined
}

/** Whether a known failure covers a rule at a place. */
export function covers({ rule, place }: ExpectedFailure, id: string, observation: string): boolean {
  return rule === id && (place === undefined || [place, `outcomes.${place}`].includes(observation))
}

/** The failures in a file, or the faults of the file. */
export type ExpectedFailuresResult =
  | { readonly ok: true; readonly failures: readonly ExpectedFailure[] }
  | { readonly ok: false; readonly faults: readonly ScenarioFault[] }

/** Reads a list of known failures: one rule per line, an optional place after it, comments after `#`. */
export function parseExpectedFailures(text: string, file: string): ExpectedFailuresResult {
  const failures: ExpectedFailure[] = []
  const faults: ScenarioFault[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [rule, place, ...rest] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (rule === undefined || rule === '') continue
    const message = faultOf(rule, place, rest)
    if (message === undefined) failures.push({ rule, place })
    else faults.push({ file, line: index + 1, column: line.search(/\S/) + 1, path: '', message })
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, failures }
}

function faultOf(rule: string, place: string | undefined, rest: readonly string[]): string | undefined {
  if (rest.length > 0) return 'expected a rule and at most one outcome or other place'
  const unknown = unknownRule(rule)
  if (unknown !== undefined || place === undefined) return unknown
  const places = rules.find(({ id }) => id === rule)?.looksAt ?? []
  if (places.some((observation) => covers({ rule, place }, rule, observation))) return undefined
  const known = places.map((name) => name.replace(/^outcomes\./, ''))
  return `the rule looks at no outcome or other place "${printable(place)}"${didYouMean(place, known)}`
}

/** The fault of an unknown rule name. */
export function unknownRule(id: string): string | undefined {
  const known = rules.map((rule) => rule.id)
  return known.includes(id) ? undefined : `there is no rule "${printable(id)}"${didYouMean(id, known)}`
}
