import { type OutcomeType, outcomes, outcomeTypes } from '@agentic-rest/profile'
import { escapeMarkup as text } from './escape.ts'
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

// The page contains text of the service. The policy prevents scripts and requests.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** The report as a self-contained HTML page, light and dark. */
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
    // A zero has no colour.
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
  return `<h2>Problems of the scenario</h2>\n<ul>${items}</ul>`
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

/** The style of the page. It loads nothing. */
const htmlStyle = `
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --paper: #fff; --card: #f6f8fa;
  --pass: #1a7f37; --fail: #cf222e; --unseen: #9a6700; --code: #eff2f5 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --paper: #0d1117;
  --card: #151b23; --pass: #3fb950; --fail: #f85149; --unseen: #d29922; --code: #212830 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 66rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; line-height: 1.25 }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .75rem }
p { margin: .25rem 0 }
.soft { color: var(--soft) }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0; padding: 0; list-style: none }
.figures li { flex: 1 1 9rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); padding: .7rem 1rem }
.figures strong { display: block; font-size: 1.7rem; line-height: 1.2; font-variant-numeric: tabular-nums }
.outcomes { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); gap: .5rem; padding: 0; margin: 0; list-style: none }
.outcomes li { border: 1px solid var(--line); border-left: .3rem solid; border-radius: .4rem; padding: .45rem .7rem; background: var(--card) }
.outcomes .pass { border-left-color: var(--pass) } .outcomes .fail { border-left-color: var(--fail) }
.outcomes .not_observed { border-left-color: var(--unseen) }
.rule { border: 1px solid var(--line); border-radius: .5rem; margin: .4rem 0; background: var(--card) }
.rule > summary, .rule > div { display: flex; gap: .75rem; align-items: baseline; padding: .5rem .9rem }
.rule > summary { cursor: pointer }
.rule > * > span:nth-child(2) { flex: 1 1 12rem; min-width: 0 }
.rule > ul { margin: 0; padding: .25rem 1rem .75rem 2.2rem }
.rule code.id { color: var(--soft); flex: 0 1 auto; min-width: 0; margin-left: auto; text-align: right }
.result { flex: 0 0 6.5rem; font-weight: 600; white-space: nowrap }
.pass .result, strong.pass { color: var(--pass) } .fail .result, strong.fail { color: var(--fail) }
.not_observed .result, strong.not_observed { color: var(--unseen) }
code, pre { font: .86em/1.5 ui-monospace, "DejaVu Sans Mono", monospace }
pre { background: var(--code); border-radius: .4rem; padding: .6rem .8rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere }
@media (max-width: 40rem) { .rule > summary, .rule > div { flex-wrap: wrap } .rule code.id { margin-left: 0 } }
`
