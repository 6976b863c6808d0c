import { type OutcomeType, outcomes, outcomeTypes } from '@agentic-rest/profile'
import { escapeMarkup as text } from './escape-markup.ts'
import { htmlStyle } from './html-style.ts'
import { type Report, type ReportRow, rowsByRule, worstOf } from './report.ts'
import {
  countRules,
  coverage,
  describeRow,
  expectedSentences,
  notableRows,
  outcomesSentence,
  resultWords,
} from './summary.ts'

// What a service sent is on this page: whatever it is, it runs nothing and loads nothing.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** The report as a page that stands by itself, in light and dark. */
export function htmlReport(report: Report): string {
  const title = `Agentic profile ${report.profile}: ${outcomesSentence(report)}`
  const rules = [...rowsByRule(report).values()]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${text(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<header>
<h1>${text(outcomesSentence(report))}</h1>
<p class="soft">Agentic profile ${text(report.profile)} at <code>${text(report.baseUrl)}</code>, ${text(report.startedAt)}, ${report.seconds} s</p>
${figures(report)}
</header>
<main>
<h2>The ten outcomes</h2>
<ul class="outcomes">${outcomeTypes.map((type) => outcomeTile(report, type)).join('\n')}</ul>
${problemList(report.problems)}
${(['fail', 'not_observed', 'pass'] as const).map((result) => ruleGroup(rules, result)).join('\n')}
</main>
</body>
</html>
`
}

const groupTitles = { fail: 'Failed', not_observed: 'Not observed', pass: 'Passed' } as const

function figures(report: Report): string {
  const counts = countRules(report)
  const cards = (['pass', 'fail', 'not_observed'] as const).map(
    // None of a kind has no colour: a red nought would alarm for nothing.
    (result) =>
      `<li><strong class="${counts[result] === 0 ? 'none' : result}">${counts[result]}</strong> rules ${wordsBelow[result]}</li>`,
  )
  const expected = expectedSentences(report).map((sentence) => `<p class="soft">${text(sentence)}</p>`)
  return `<ul class="figures">${cards.join('')}</ul>${expected.join('')}`
}

const wordsBelow = { pass: 'passed', fail: 'failed', not_observed: 'not observed' } as const

function outcomeTile({ rows }: Report, type: OutcomeType): string {
  const row = rows.find(({ rule }) => rule === `row-${type.replaceAll('_', '-')}`)
  const result = row?.result ?? 'not_observed'
  const detail = row === undefined || result === 'pass' ? '' : `<br><small>${text(describeRow(row))}</small>`
  return `<li class="${result}"><code>${type}</code><br><span class="soft">${outcomes[type].status}</span> ${resultWords[result]}${detail}</li>`
}

function problemList(problems: readonly string[]): string {
  if (problems.length === 0) return ''
  const items = problems.map((problem) => `<li>${text(problem)}</li>`).join('\n')
  return `<h2>What could not be carried out</h2>\n<ul>${items}</ul>`
}

function ruleGroup(rules: readonly (readonly ReportRow[])[], result: ReportRow['result']): string {
  const group = rules.filter((rows) => worstOf(rows) === result)
  if (group.length === 0) return ''
  return `<h2>${groupTitles[result]} (${group.length})</h2>\n${group.map((rows) => ruleBlock(rows, result)).join('\n')}`
}

function ruleBlock(rows: readonly ReportRow[], result: ReportRow['result']): string {
  const [first] = rows
  if (first === undefined) return ''
  const head = `<span class="result">${resultWords[result]}</span><span>${text(first.title)}<br><small class="soft">${text(`${first.clause}${coverage(rows)}`)}</small></span><code class="id">${text(first.rule)}</code>`
  const notable = notableRows(rows)
  if (notable.length === 0) return `<div class="rule ${result}"><div>${head}</div></div>`
  const open = result === 'fail' ? ' open' : ''
  return `<details class="rule ${result}"${open}><summary>${head}</summary><ul>${notable.map(rowItem).join('\n')}</ul></details>`
}

function rowItem(row: ReportRow): string {
  const curl = row.result === 'fail' && row.curl !== undefined ? `<pre>${text(row.curl)}</pre>` : ''
  return `<li>${text(describeRow(row))}${curl}</li>`
}
