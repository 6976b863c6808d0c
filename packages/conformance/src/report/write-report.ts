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

/** The name of a report format. */
export type ReportFormat = keyof typeof writers

/** All report formats. */
export const reportFormats = Object.keys(writers) as readonly ReportFormat[]

/** Writes a report in a format. Text of the service is escaped in all of them. */
export function writeReport(report: Report, format: ReportFormat): string {
  return writers[format](report)
}

/** The report as JSON. */
function jsonReport(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
