import { styleText } from 'node:util'
import { formatFaults } from '@agentic-rest/gateway'
import {
  allowableRules,
  type CheckFinding,
  type CheckReport,
  checkFile,
  findingsOf,
} from '../check/findings.ts'
import { githubAnnotations, sarifLog } from '../check/formats.ts'
import { defineCommand } from '../command.ts'
import type { Host } from '../host.ts'
import { exitCodes } from '../host.ts'
import { terminalLine } from '../terminal-text.ts'

const formats = ['text', 'github', 'sarif', 'json'] as const
type Format = (typeof formats)[number]

/** `agentic check FILE`: lists all faults and warnings of a configuration file. It starts nothing. */
export const check = defineCommand({
  name: 'check',
  description:
    'Checks a configuration file and reports all faults at once, and warnings about risky settings. It starts nothing and\n' +
    'needs no network, but it imports the modules of plugins.custom. Variables such as ${PORT} come from the environment, as\n' +
    'with "npx agentic start". --live asks each target for its OpenAPI document and compares: routes without an operation,\n' +
    'operations, status and approval addresses without a route, and roles that nobody in people.yaml beside it has.',
  operands: [{ name: 'FILE', description: 'The configuration file.' }],
  options: {
    strict: { type: 'boolean', description: 'Treats warnings as errors.' },
    allow: {
      type: 'string',
      value: 'RULE',
      multiple: true,
      choices: allowableRules,
      description: 'Accepts a finding by its name, such as tenant-open.',
    },
    live: { type: 'boolean', description: 'Compares the routes with the running services.' },
    format: {
      type: 'string',
      value: 'FORMAT',
      choices: formats,
      description: 'The format of the result: text, GitHub annotations, SARIF 2.1.0 or JSON.',
    },
    json: { type: 'boolean', description: 'The same as --format json.' },
  },
  examples: [
    'npx agentic check gateway.yaml',
    'npx agentic check gateway.yaml --strict --format github',
    'npx agentic check gateway.yaml --strict --allow tenant-open --allow sse-without-deadline',
    'npx agentic check gateway.yaml --json',
    'npx agentic check gateway.yaml --live',
  ],
  exitCodes: [
    [exitCodes.ok, 'The file is valid; with --strict there is no warning either.'],
    [exitCodes.failed, 'With --live: a target does not answer.'],
    [exitCodes.invalid, 'The file or the command line is not valid, or --strict found a warning.'],
  ],
  async run({ values, operands: [file = ''] }, host) {
    const format = formatOf(values.format as Format | undefined, values.json)
    if (format === undefined) {
      host.stderr.write(`agentic check: --json and --format ${values.format} exclude each other\n`)
      return exitCodes.invalid
    }
    const { strict, live, allow } = values
    const report = await checkFile(file, { host, strict, live, allow })
    tell[format](report, { host, strict })
    if (report.unreachable !== undefined && report.unreachable.length > 0) return exitCodes.failed
    return report.passed ? exitCodes.ok : exitCodes.invalid
  },
})

function formatOf(format: Format | undefined, json: boolean): Format | undefined {
  if (!json) return format ?? 'text'
  return format === undefined || format === 'json' ? 'json' : undefined
}

interface Telling {
  readonly host: Host
  readonly strict: boolean
}

const tell = {
  text: tellText,
  github: (report, { host, strict }) => void host.stdout.write(githubAnnotations(findingsOf(report, strict))),
  sarif: (report, { host, strict }) => writeJson(sarifLog(findingsOf(report, strict)), host),
  json: (report, { host }) => writeJson(report, host),
} satisfies Record<Format, (report: CheckReport, telling: Telling) => void>

function writeJson(value: object, { stdout }: Host): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

function tellText(report: CheckReport, { host: { stdout, stderr }, strict }: Telling): void {
  const { file, valid, passed, faults } = report
  if (!valid) {
    stderr.write(`${formatFaults(faults)}\n`)
    return
  }
  const levels = {
    warning: styleText('yellow', 'warning', { stream: stderr }),
    error: styleText('red', 'error', { stream: stderr }),
  }
  for (const finding of findingsOf(report, strict))
    stderr.write(`${findingLine(finding, levels[finding.level])}\n`)
  if (passed) stdout.write(`${file} is valid${allowedText(report)}\n`)
  else if (strict && report.warnings.length > 0)
    stderr.write(`${file} is valid, but --strict treats warnings as errors\n`)
}

/** An accepted finding stays visible as a number. */
function allowedText({ allowed = [] }: CheckReport): string {
  if (allowed.length === 0) return ''
  const names = [...new Set(allowed.map(({ id }) => id))].join(', ')
  return `; ${allowed.length} ${allowed.length === 1 ? 'finding is' : 'findings are'} allowed: ${names}`
}

function findingLine({ file, line, column, path, message, id }: CheckFinding, level: string): string {
  return `${file}:${line}:${column}: ${level}: ${path === '' ? '' : `${path}: `}${terminalLine(message)} [${id}]`
}
