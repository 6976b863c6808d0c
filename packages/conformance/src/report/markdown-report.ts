import { type OutcomeType, outcomeTypes } from '@agentic-rest/profile'
import { type Report, type ReportRow, rowsByRule, worstOf } from './report.ts'
import {
  describeRow,
  expectedSentences,
  notableRows,
  outcomesSentence,
  resultWords,
  rulesSentence,
} from './summary.ts'

/** The report as Markdown, for the summary of a build or a pull request. */
export function markdownReport(report: Report): string {
  const rules = [...rowsByRule(report).values()]
  const failed = rules.filter((rows) => worstOf(rows) === 'fail')
  return [
    `# Agentic profile ${report.profile} at ${escapeMarkdown(report.baseUrl)}`,
    '',
    `**${outcomesSentence(report)}.** ${[rulesSentence(report), ...expectedSentences(report)].join('; ')}.`,
    '',
    table(
      ['Outcome', 'Row of the table'],
      outcomeTypes.map((type) => [`\`${type}\``, outcomeResult(report, type)]),
    ),
    '',
    ...failed.flatMap((rows) => failure(rows)),
    ...problemLines(report.problems),
    '## Rules',
    '',
    table(
      ['Result', 'Rule', 'Fact', 'Clause'],
      rules.flatMap(([first, ...rest]) =>
        first === undefined
          ? []
          : [
              [
                resultWords[worstOf([first, ...rest])],
                `\`${first.rule}\``,
                escapeMarkdown(first.title),
                escapeMarkdown(first.clause),
              ],
            ],
      ),
    ),
    '',
  ].join('\n')
}

function outcomeResult({ rows }: Report, type: OutcomeType): string {
  const row = rows.find(({ rule }) => rule === `row-${type.replaceAll('_', '-')}`)
  if (row === undefined) return resultWords.not_observed
  return row.result === 'pass'
    ? resultWords.pass
    : `${resultWords[row.result]}: ${escapeMarkdown(describeRow(row))}`
}

function failure(rows: readonly ReportRow[]): string[] {
  const [first] = rows
  if (first === undefined) return []
  return [
    `## ${escapeMarkdown(first.title)}`,
    '',
    `\`${first.rule}\`, ${escapeMarkdown(first.clause)}`,
    '',
    ...notableRows(rows).flatMap((row) => [
      `- ${escapeMarkdown(describeRow(row))}`,
      '',
      ...fenced(row.curl),
      '',
    ]),
  ]
}

function problemLines(problems: readonly string[]): string[] {
  if (problems.length === 0) return []
  return ['## Problems of the scenario', '', ...problems.map((problem) => `- ${escapeMarkdown(problem)}`), '']
}

/** A code block with a fence longer than any run of backticks in it. */
function fenced(text: string | undefined): string[] {
  if (text === undefined) return []
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return [`  ${fence}sh`, `  ${text}`, `  ${fence}`]
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Escapes text of a service for Markdown. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+!|<>~&]/g, '\\$&')
}
