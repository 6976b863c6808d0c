import { escapeMarkup } from './escape.ts'
import type { Report, ReportRow } from './report.ts'
import { describeRow, placeOf } from './summary.ts'

/** The report as JUnit XML: one test case per rule and place; unobserved ones are skipped. */
export function junitReport(report: Report): string {
  const { rows, counts, seconds, startedAt, profile } = report
  const attributes = [
    `name="Agentic profile ${profile}"`,
    `tests="${rows.length}"`,
    `failures="${counts.fail}"`,
    `errors="${report.problems.length === 0 ? 0 : 1}"`,
    `skipped="${counts.notObserved + counts.expectedFailures}"`,
    `time="${seconds}"`,
  ].join(' ')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes}>`,
    `<testsuite ${attributes} timestamp="${startedAt.replace(/\.\d+Z$/, '')}" hostname="${escapeMarkup(report.baseUrl)}">`,
    ...rows.map(testCase),
    ...systemError(report.problems),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase(row: ReportRow): string {
  const name = `${row.title} (${placeOf(row.observation)})`
  const head = `<testcase classname="${escapeMarkup(row.rule)}" name="${escapeMarkup(name)}"`
  const content = contentOf(row)
  return content === '' ? `${head}/>` : `${head}>${content}</testcase>`
}

function contentOf(row: ReportRow): string {
  const message = escapeMarkup(describeRow(row))
  // JUnit has no expected failure, and a failure would fail the build.
  if (row.result === 'not_observed' || (row.result === 'fail' && row.expectedFailure))
    return `<skipped message="${message}"/>`
  if (row.result === 'pass') return ''
  const detail = escapeMarkup([`clause: ${row.clause}`, row.curl ?? ''].join('\n'))
  return `<failure type="${row.level}" message="${message}">${detail}</failure>`
}

function systemError(problems: readonly string[]): string[] {
  return problems.length === 0 ? [] : [`<system-err>${escapeMarkup(problems.join('\n'))}</system-err>`]
}
