import { styleText } from 'node:util'
import { type Report, type ReportRow, rowsByRule, worstOf } from './report.ts'
import {
  coverage,
  describeRow,
  expectedSentences,
  notableRows,
  outcomesSentence,
  resultWords,
  rulesSentence,
} from './summary.ts'

type Paint = (result: ReportRow['result'], text: string) => string

const colours = { pass: 'green', fail: 'red', not_observed: 'yellow' } as const
const INDENT = ' '.repeat(16)

/** The report for a terminal, with optional colours. */
export function textReport(report: Report, { colour = false }: { readonly colour?: boolean } = {}): string {
  const paint: Paint = (result, text) =>
    colour ? styleText(colours[result], text, { validateStream: false }) : text
  const rules = [...rowsByRule(report).values()].map((rows) => ruleLines(rows, paint))
  const problems = report.problems.map((problem) => `  ${paint('fail', 'problem')} ${problem}`)
  return [
    `Agentic profile ${report.profile} at ${report.baseUrl}`,
    '',
    ...rules.flat(),
    ...(problems.length === 0 ? [] : ['', 'Problems of the scenario:', ...problems]),
    '',
    paint(
      report.outcomes.observed === report.outcomes.total ? 'pass' : 'not_observed',
      outcomesSentence(report),
    ),
    [rulesSentence(report), ...expectedSentences(report)].join('; '),
    '',
  ].join('\n')
}

function ruleLines(rows: readonly ReportRow[], paint: Paint): string[] {
  const [first] = rows
  if (first === undefined) return []
  const result = worstOf(rows)
  const word = paint(result, resultWords[result].padEnd(12))
  return [`  ${word}  ${first.rule}: ${first.title}${coverage(rows)}`, ...notableRows(rows).flatMap(rowLines)]
}

function rowLines(row: ReportRow): string[] {
  const lines = [describeRow(row)]
  if (row.result === 'fail')
    lines.push(`clause: ${row.clause}`, ...(row.curl === undefined ? [] : [row.curl]))
  return lines.map((line) => `${INDENT}${line}`)
}
