import { styleText } from 'node:util'
import { formatFaults } from '@agentic-rest/gateway'
import { type CheckReport, type CheckWarning, checkFile, findingsOf } from '../check-report.ts'
import { defineCommand } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { githubAnnotations } from '../github-annotations.ts'
import type { Host } from '../host.ts'
import { sarifLog } from '../sarif.ts'

const formats = ['text', 'github', 'sarif', 'json'] as const
type Format = (typeof formats)[number]

/** `agentic check FILE`: every fault of a file at once, and what is unwise about it, without starting anything. */
export const check = defineCommand({
  name: 'check',
  description:
    'Says whether a configuration file is valid, with every fault at once, and warns of what is valid but unwise. It\n' +
    'starts nothing and asks nobody. Variables such as ${PORT} are filled in from the environment, as they are by\n' +
    '"agentic start".',
  operands: [{ name: 'FILE', description: 'The configuration file.' }],
  options: {
    strict: { type: 'boolean', description: 'Takes warnings for errors.' },
    format: {
      type: 'string',
      value: 'FORMAT',
      choices: formats,
      description: 'How the result is told: readable, as GitHub annotations, as SARIF 2.1.0 or as JSON.',
    },
    json: { type: 'boolean', description: 'The same as --format json.' },
  },
  examples: [
    'agentic check gateway.yaml',
    'agentic check gateway.yaml --strict --format github',
    'agentic check gateway.yaml --json',
  ],
  exitCodes: [
    [exitCodes.ok, 'The file is valid; with --strict there is no warning either.'],
    [exitCodes.invalid, 'The file or the command line is not valid, or --strict found a warning.'],
  ],
  async run({ values, operands: [file = ''] }, host) {
    const format = formatOf(values.format as Format | undefined, values.json)
    if (format === undefined) {
      host.stderr.write(`agentic check: --json and --format ${values.format} exclude each other\n`)
      return exitCodes.invalid
    }
    const report = checkFile(file, { env: host.env, strict: values.strict })
    tell[format](report, host)
    return report.passed ? exitCodes.ok : exitCodes.invalid
  },
})

function formatOf(format: Format | undefined, json: boolean): Format | undefined {
  if (!json) return format ?? 'text'
  return format === undefined || format === 'json' ? 'json' : undefined
}

const tell = {
  text: tellText,
  github: (report, { stdout }) => void stdout.write(githubAnnotations(findingsOf(report))),
  sarif: (report, host) => writeJson(sarifLog(findingsOf(report)), host),
  json: writeJson,
} satisfies Record<Format, (report: CheckReport, host: Host) => void>

function writeJson(value: object, { stdout }: Host): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

function tellText({ file, valid, passed, faults, warnings }: CheckReport, { stdout, stderr }: Host): void {
  if (!valid) {
    stderr.write(`${formatFaults(faults)}\n`)
    return
  }
  const level = passed
    ? styleText('yellow', 'warning', { stream: stderr })
    : styleText('red', 'error', { stream: stderr })
  for (const warning of warnings) stderr.write(`${warningLine(warning, level)}\n`)
  if (passed) stdout.write(`${file} is valid\n`)
  else stderr.write(`${file} is valid, but --strict takes warnings for errors\n`)
}

function warningLine({ file, line, column, path, message, id }: CheckWarning, level: string): string {
  return `${file}:${line}:${column}: ${level}: ${path}: ${message} [${id}]`
}
