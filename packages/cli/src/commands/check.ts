import { styleText } from 'node:util'
import { formatFaults } from '@agentic-rest/gateway'
import { type CheckReport, type CheckWarning, checkFile, findingsOf } from '../check/findings.ts'
import { githubAnnotations, sarifLog } from '../check/formats.ts'
import { defineCommand } from '../command.ts'
import type { Host } from '../host.ts'
import { exitCodes } from '../host.ts'

const formats = ['text', 'github', 'sarif', 'json'] as const
type Format = (typeof formats)[number]

/** `agentic check FILE`: lists all faults and warnings of a configuration file. It starts nothing. */
export const check = defineCommand({
  name: 'check',
  description:
    'Checks a configuration file and reports all faults at once, and warnings about risky settings. It starts nothing and\n' +
    'needs no network, but it imports the modules of plugins.custom. Variables such as ${PORT} come from the environment, as\n' +
    'with "agentic start".',
  operands: [{ name: 'FILE', description: 'The configuration file.' }],
  options: {
    strict: { type: 'boolean', description: 'Treats warnings as errors.' },
    format: {
      type: 'string',
      value: 'FORMAT',
      choices: formats,
      description: 'The format of the result: text, GitHub annotations, SARIF 2.1.0 or JSON.',
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
    const report = await checkFile(file, { host, strict: values.strict })
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
  else stderr.write(`${file} is valid, but --strict treats warnings as errors\n`)
}

function warningLine({ file, line, column, path, message, id }: CheckWarning, level: string): string {
  return `${file}:${line}:${column}: ${level}: ${path}: ${message} [${id}]`
}
