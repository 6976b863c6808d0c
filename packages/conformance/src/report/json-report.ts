import type { Report } from './report.ts'

/** The report for machines. */
export function jsonReport(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
