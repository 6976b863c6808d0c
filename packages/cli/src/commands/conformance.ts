import { writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { stripVTControlCharacters, styleText } from 'node:util'
import {
  badge,
  type Report,
  reportFormats,
  runConformance,
  textReport,
  UnreachableError,
  writeReport,
} from '@agentic-rest/conformance'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import { defineCommand } from '../command.ts'
import { draft } from '../conformance/draft.ts'
import { type Inputs, OWN_SCENARIO, readInputs } from '../conformance/read-inputs.ts'
import { type ReportWish, readWishes } from '../conformance/report-wishes.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Host } from '../host.ts'
import { terminalText } from '../terminal-text.ts'

/** `agentic conformance URL`: whether a live service or gateway keeps the profile. */
export const conformance = defineCommand({
  name: 'conformance',
  description:
    'Asks a live service or gateway whether it keeps the profile, clause by clause. How each outcome is provoked is said\n' +
    'by a scenario file; what it does not provoke is not observed, and never called passed.\n' +
    '"agentic conformance init OPENAPI" drafts a scenario from an OpenAPI document.',
  operands: [
    { name: 'URL', description: 'The address to ask, or the word init.' },
    { name: 'OPENAPI', description: 'After init: the OpenAPI document, YAML or JSON.', optional: true },
  ],
  options: {
    scenario: {
      type: 'string',
      short: 's',
      value: 'FILE',
      description: `How the outcomes are provoked; ${OWN_SCENARIO} where there is one.`,
    },
    report: {
      type: 'string',
      value: 'FORMAT[=FILE]',
      multiple: true,
      words: reportFormats,
      description: `How the result is told, and into which file: ${reportFormats.join(', ')}; text by default.`,
    },
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      description: 'The file for the report, or for the scenario of init.',
    },
    badge: { type: 'string', value: 'FILE', description: 'Writes a badge for a README, as SVG.' },
    only: {
      type: 'string',
      value: 'RULE',
      multiple: true,
      description: 'Applies this rule alone.',
    },
    'expected-failures': {
      type: 'string',
      value: 'FILE',
      description: 'Failures that are known: a rule a line, and an outcome if it fails with that alone.',
    },
    strict: { type: 'boolean', description: 'What was not observed counts as a failure.' },
  },
  examples: [
    'agentic conformance http://127.0.0.1:8080 --scenario conformance.yaml',
    'agentic conformance http://127.0.0.1:8080 --report junit=results.xml --report html=report.html',
    'agentic conformance http://127.0.0.1:8080 --only trace-present --report json',
    'agentic conformance init openapi.yaml -o conformance.yaml',
  ],
  exitCodes: [
    [exitCodes.ok, 'Nothing failed that was not expected to.'],
    [exitCodes.failed, 'Something failed.'],
    [
      exitCodes.invalid,
      'Nothing answers at the address, or the scenario, another file or the command line is not right.',
    ],
  ],
  async run({ values, operands: [first = '', document] }, host) {
    if (first === 'init') {
      if (document === undefined) return refuse(host, ['OPENAPI is missing'])
      return draft(document, values.output, host)
    }
    if (document !== undefined)
      return refuse(host, [`unexpected argument ${JSON.stringify(document)}${initHint(first)}`])
    const baseUrl = readAddress(first)
    const wishes = readWishes(values.report, values.output)
    const inputs = readInputs(values, host.env)
    const faults = [
      ...(baseUrl === undefined ? [`URL is an http or https address, not ${JSON.stringify(first)}`] : []),
      ...(wishes.ok ? [] : [wishes.fault]),
    ]
    if (baseUrl === undefined || !wishes.ok) return refuse(host, faults)
    if (!inputs.ok) return fail(host, inputs.faults.join('\n'))
    const report = await ask(baseUrl, inputs.inputs, host)
    if (typeof report === 'string') return fail(host, report)
    const unwritten = tell(report, { wishes: wishes.wishes, badgeFile: values.badge, host })
    return unwritten.length > 0 ? fail(host, unwritten.join('\n')) : codeOf(report, values.strict)
  },
})

/** Only init takes a second argument, so a word that is no address is probably meant to be it. */
function initHint(first: string): string {
  const hint = didYouMean(first, ['init'])
  return hint === '' ? '' : `: ${JSON.stringify(first)} is no command${hint}`
}

function readAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, search, hash } = new URL(text)
  const isPlain = username === '' && password === '' && search === '' && hash === ''
  return isPlain && ['http:', 'https:'].includes(protocol) ? text : undefined
}

async function ask(baseUrl: string, inputs: Inputs, host: Host): Promise<Report | string> {
  const { scenarioFile, scenario, expectedFailures, rules } = inputs
  const { stderr } = host
  if (scenarioFile === undefined)
    stderr.write(
      'There is no scenario, so next to nothing can be observed: see "agentic conformance --help".\n',
    )
  try {
    return await runConformance({
      baseUrl,
      scenario,
      expectedFailures,
      env: host.env,
      folder: scenarioFile === undefined ? process.cwd() : dirname(resolve(scenarioFile)),
      ...(rules !== undefined && { rules }),
      onProgress: (stage) => void (stderr.isTTY && stderr.write(`\r\u001b[2Klooking at ${stage} ...`)),
    })
  } catch (error) {
    if (error instanceof UnreachableError) return error.message
    throw error
  } finally {
    if (stderr.isTTY) stderr.write('\r\u001b[2K')
  }
}

interface Telling {
  readonly wishes: readonly ReportWish[]
  readonly badgeFile: string | undefined
  readonly host: Host
}

/** Writes the reports; returns what could not be written. */
function tell(report: Report, { wishes, badgeFile, host: { stdout } }: Telling): string[] {
  const files = wishes.flatMap(({ format, file }) =>
    file === undefined ? [] : [[file, writeReport(report, format)]],
  )
  if (badgeFile !== undefined) files.push([badgeFile, badge(report)])
  for (const { format, file } of wishes) {
    if (file !== undefined) continue
    stdout.write(
      format === 'text' ? textReport(report, { colour: isColoured(stdout) }) : writeReport(report, format),
    )
  }
  return files.flatMap(([file = '', text = '']) => (write(file, text) ? [] : [`${file} cannot be written`]))
}

// styleText knows about terminals, NO_COLOR and FORCE_COLOR.
function isColoured(stream: NodeJS.WriteStream): boolean {
  const styled = styleText('red', 'x', { stream })
  return styled !== stripVTControlCharacters(styled)
}

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text)
    return true
  } catch {
    return false
  }
}

function codeOf({ counts, problems }: Report, strict: boolean): number {
  if (counts.fail > 0) return exitCodes.failed
  if (problems.length > 0) return exitCodes.invalid
  return strict && counts.notObserved > 0 ? exitCodes.failed : exitCodes.ok
}

function refuse(host: Host, faults: readonly string[]): number {
  const lines = faults.map((fault) => `agentic conformance: ${fault}`)
  return fail(host, [...lines, 'Run "agentic conformance --help" for how to use it.'].join('\n'))
}

function fail({ stderr }: Host, text: string): number {
  stderr.write(`${terminalText(text)}\n`)
  return exitCodes.invalid
}
