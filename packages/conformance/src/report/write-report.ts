import { htmlReport } from './html-report.ts'
import { junitReport } from './junit-report.ts'
import { markdownReport } from './markdown-report.ts'
import type { Report } from './report.ts'
import { textReport } from './text-report.ts'

const writers = {
  text: textReport,
  json: jsonReport,
  junit: junitReport,
  md: markdownReport,
  html: htmlReport,
} as const satisfies Record<string, (report: Report) => string>

/** The name of a form that a report can have. */
export type ReportFormat = keyof typeof writers

/** The forms that a report can have. */
export const reportFormats = Object.keys(writers) as readonly ReportFormat[]

/** Writes a report in one of its forms. What a service sent is escaped in each. */
export function writeReport(report: Report, format: ReportFormat): string {
  return writers[format](report)
}

/** The report for machines. */
function jsonReport(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
