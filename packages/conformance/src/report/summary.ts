import { type Report, type ReportRow, rowsByRule, worstOf } from './report.ts'

/** The word for each result. */
export const resultWords = {
  pass: 'pass',
  fail: 'FAIL',
  not_observed: 'not observed',
} as const satisfies Record<ReportRow['result'], string>

/** The number of rules by result. */
export function countRules(report: Report): Readonly<Record<ReportRow['result'], number>> {
  const results = [...rowsByRule(report).values()].map(worstOf)
  const count = (result: ReportRow['result']) => results.filter((each) => each === result).length
  return { pass: count('pass'), fail: count('fail'), not_observed: count('not_observed') }
}

/** The main result in one sentence. */
export function outcomesSentence({ outcomes: { observed, total } }: Report): string {
  return `${observed} of ${total} outcomes observed`
}

/** The number of rules by result, in one sentence. */
export function rulesSentence(report: Report): string {
  const { pass, fail, not_observed: unseen } = countRules(report)
  const all = pass + fail + unseen
  return `${all} rule${all === 1 ? '' : 's'}: ${pass} passed, ${fail} failed, ${unseen} not observed`
}

/** Sentences about expected failures; empty without any. */
export function expectedSentences({ counts: { expectedFailures, unexpectedPasses } }: Report): string[] {
  const failed = expectedFailures === 0 ? [] : [`${expectedFailures} failed as expected`]
  const passed = unexpectedPasses === 0 ? [] : [`${unexpectedPasses} passed and were expected to fail`]
  return [...failed, ...passed]
}

/** The rows of a rule to show: failures, otherwise the reasons why nothing was observed. */
export function notableRows(rows: readonly ReportRow[]): readonly ReportRow[] {
  const notable = rows.filter(({ result, expectedFailure }) => result === 'fail' || expectedFailure === true)
  if (notable.length > 0 || worstOf(rows) === 'pass') return notable
  // Each reason is shown once.
  return [...new Map(rows.map((row) => [row.reason, row])).values()]
}

/** The name of an observation for reports: an outcome, or a place of the scenario. */
export function placeOf(observation: string): string {
  return observation.replace(/^outcomes\./, '')
}

/** Describes one row in a sentence. */
export function describeRow({
  observation,
  result,
  expected,
  got,
  reason,
  expectedFailure,
}: ReportRow): string {
  const where = `${placeOf(observation)}: `
  if (result === 'not_observed') return `${where}${reason}`
  const remark = expectedFailure ? ' (expected to fail)' : ''
  return result === 'pass' ? `${where}passed${remark}` : `${where}expected ${expected}, got ${got}${remark}`
}

/** The number of observed places of a rule, if it is not all. */
export function coverage(rows: readonly ReportRow[]): string {
  const seen = rows.filter(({ result }) => result !== 'not_observed').length
  return seen === 0 || seen === rows.length ? '' : ` (observed in ${seen} of ${rows.length} places)`
}
