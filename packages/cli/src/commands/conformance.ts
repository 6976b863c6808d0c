import { existsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { stripVTControlCharacters, styleText } from 'node:util'
import {
  badge,
  DraftError,
  draftScenario,
  type Report,
  readDocument,
  reportFormats,
  runConformance,
  textReport,
  UnreachableError,
  writeReport,
} from '@agentic-rest/conformance'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import { printableText } from '@agentic-rest/profile'
import { readPortBase, urlVariables } from '@agentic-rest/stack'
import { defineCommand } from '../command.ts'
import {
  type Inputs,
  OWN_SCENARIO,
  type ReportOutput,
  readInputs,
  readReportOutputs,
} from '../conformance/run-options.ts'
import type { Host } from '../host.ts'
import { exitCodes } from '../host.ts'
import { DEFAULT_GATEWAY } from '../port-base.ts'

/** `agentic conformance [URL]`: tests a live service or gateway against the profile. */
export const conformance = defineCommand({
  name: 'conformance',
  description:
    'Tests a live service or gateway against the profile, clause by clause. A scenario file has a request for each\n' +
    'outcome. Outcomes without a request are reported as not observed, never as passed.\n' +
    '"npx agentic conformance init OPENAPI" drafts a scenario from an OpenAPI document.',
  operands: [
    {
      name: 'URL',
      description: `The address to test, ${DEFAULT_GATEWAY} by default, or the word init.`,
      optional: true,
    },
    { name: 'OPENAPI', description: 'After init: the OpenAPI document, YAML or JSON.', optional: true },
  ],
  options: {
    scenario: {
      type: 'string',
      short: 's',
      value: 'FILE',
      description: `The scenario; ${OWN_SCENARIO} by default, if it exists.`,
    },
    report: {
      type: 'string',
      value: 'FORMAT[=FILE]',
      multiple: true,
      words: reportFormats,
      description: `The format of the report and its file: ${reportFormats.join(', ')}; text by default.`,
    },
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      description: 'The file for the report or, with init, for the scenario.',
    },
    badge: { type: 'string', value: 'FILE', description: 'Writes an SVG badge for a README.' },
    only: {
      type: 'string',
      value: 'RULE',
      multiple: true,
      description: 'Applies only this rule.',
    },
    'expected-failures': {
      type: 'string',
      value: 'FILE',
      description: 'Known failures: one rule per line, with an outcome if only that outcome fails.',
    },
    'port-base': {
      type: 'string',
      value: 'N',
      description:
        'The port base of "npx agentic dev": the address is its gateway, and IDENTITY_URL in the scenario its identity provider.',
    },
    strict: { type: 'boolean', description: 'Counts rules that were not observed as failures.' },
  },
  examples: [
    'npx agentic conformance http://127.0.0.1:8080 --scenario conformance.yaml',
    'npx agentic conformance --port-base 9080',
    'npx agentic conformance http://127.0.0.1:8080 --report junit=results.xml --report html=report.html',
    'npx agentic conformance http://127.0.0.1:8080 --only trace-present --report json',
    'npx agentic conformance init openapi.yaml -o conformance.yaml',
  ],
  exitCodes: [
    [exitCodes.ok, 'There is no unexpected failure.'],
    [exitCodes.failed, 'A rule failed.'],
    [
      exitCodes.invalid,
      'Nothing answers at the address, or the scenario, another file or the command line is not valid.',
    ],
  ],
  async run({ values, operands: [first, document] }, host) {
    if (first === 'init') {
      if (document === undefined) return refuse(host, ['OPENAPI is missing'])
      return draft(document, values.output, host)
    }
    if (document !== undefined)
      return refuse(host, [`unexpected argument ${JSON.stringify(document)}${initHint(first)}`])
    const place = readPlace(first, values['port-base'])
    const outputs = readReportOutputs(values.report, values.output)
    if (!place.ok || !outputs.ok)
      return refuse(
        host,
        [place, outputs].flatMap((read) => (read.ok ? [] : [read.fault])),
      )
    const env = { ...place.variables, ...host.env }
    const inputs = readInputs(values, env)
    if (!inputs.ok) return fail(host, inputs.faults.join('\n'))
    const report = await runRules(place.baseUrl, inputs.inputs, { stderr: host.stderr, env })
    if (typeof report === 'string') return fail(host, report)
    const unwritten = writeReports(report, { outputs: outputs.outputs, badgeFile: values.badge, host })
    return unwritten.length > 0 ? fail(host, unwritten.join('\n')) : codeOf(report, values.strict)
  },
})

/** Only init has a second argument, so another word is probably a misspelt init. */
function initHint(first = ''): string {
  const hint = didYouMean(first, ['init'])
  return hint === '' ? '' : `: ${JSON.stringify(first)} is not a command${hint}`
}

type Place =
  | { readonly ok: true; readonly baseUrl: string; readonly variables: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly fault: string }

/** Reads the address, and the variables of the scenario for the stack at a port base. */
function readPlace(url: string | undefined, portBaseText: string | undefined): Place {
  const portBase = portBaseText === undefined ? undefined : readPortBase(portBaseText)
  if (portBase?.ok === false) return portBase
  const variables = portBase === undefined ? {} : urlVariables(portBase.value)
  const baseUrl = url === undefined ? (variables['GATEWAY_URL'] ?? DEFAULT_GATEWAY) : readAddress(url)
  if (baseUrl !== undefined) return { ok: true, baseUrl, variables }
  return { ok: false, fault: `URL is an http or https address, not ${JSON.stringify(url)}` }
}

function readAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, search, hash } = new URL(text)
  const isPlain = username === '' && password === '' && search === '' && hash === ''
  return isPlain && ['http:', 'https:'].includes(protocol) ? text : undefined
}

async function runRules(
  baseUrl: string,
  inputs: Inputs,
  { stderr, env }: Pick<Host, 'stderr' | 'env'>,
): Promise<Report | string> {
  const { scenarioFile, scenario, expectedFailures, rules } = inputs
  if (scenarioFile === undefined)
    stderr.write(
      'There is no scenario, so almost no rule can be observed: see "npx agentic conformance --help".\n',
    )
  try {
    return await runConformance({
      baseUrl,
      scenario,
      expectedFailures,
      env,
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

interface ReportTargets {
  readonly outputs: readonly ReportOutput[]
  readonly badgeFile: string | undefined
  readonly host: Host
}

/** Writes the reports; returns an error for each file that cannot be written. */
function writeReports(report: Report, { outputs, badgeFile, host: { stdout } }: ReportTargets): string[] {
  const files = outputs.flatMap(({ format, file }) =>
    file === undefined ? [] : [[file, writeReport(report, format)]],
  )
  if (badgeFile !== undefined) files.push([badgeFile, badge(report)])
  for (const { format, file } of outputs) {
    if (file !== undefined) continue
    stdout.write(
      format === 'text' ? textReport(report, { colour: isColoured(stdout) }) : writeReport(report, format),
    )
  }
  return files.flatMap(([file = '', text = '']) => (write(file, text) ? [] : [`${file} cannot be written`]))
}

// styleText checks for a terminal, NO_COLOR and FORCE_COLOR.
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
  return fail(host, [...lines, 'Run "npx agentic conformance --help" for how to use it.'].join('\n'))
}

function fail({ stderr }: Host, text: string): number {
  stderr.write(`${printableText(text)}\n`)
  return exitCodes.invalid
}

/** `agentic conformance init OPENAPI`: writes a draft of a scenario. It replaces no file. */
function draft(document: string, output: string | undefined, host: Host): number {
  const { stdout } = host
  if (output !== undefined && existsSync(output))
    return fail(host, `${output} exists already and is not replaced`)
  const read = draftOf(document)
  if ('fault' in read) return fail(host, `${document}: ${read.fault}`)
  if (output === undefined) {
    stdout.write(printableText(read.text))
    return exitCodes.ok
  }
  try {
    writeFileSync(output, read.text, { flag: 'wx' })
  } catch {
    return fail(host, `${output} cannot be written`)
  }
  stdout.write(`${printableText(output)} is written: read it, fill the gaps, then run\n`)
  stdout.write(`npx agentic conformance URL --scenario ${printableText(output)}\n`)
  return exitCodes.ok
}

function draftOf(file: string): { text: string } | { fault: string } {
  const read = readDocument(file, 'yaml')
  if ('fault' in read) return read
  try {
    return { text: draftScenario(read.document) }
  } catch (error) {
    if (!(error instanceof DraftError)) throw error
    return { fault: error.message }
  }
}
