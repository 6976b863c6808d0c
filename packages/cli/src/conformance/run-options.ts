import { existsSync, readFileSync } from 'node:fs'
import {
  type ExpectedFailure,
  formatScenarioFaults,
  parseExpectedFailures,
  parseScenario,
  type ReportFormat,
  reportFormats,
  type ScenarioInput,
  unknownRule,
} from '@agentic-rest/conformance'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'

/** The inputs of a run, without its address. */
export interface Inputs {
  /** Without a scenario almost no rule can be observed. */
  readonly scenarioFile: string | undefined
  readonly scenario: ScenarioInput
  readonly expectedFailures: readonly ExpectedFailure[]
  readonly rules: readonly string[] | undefined
}

/** The inputs, or all their faults. */
export type InputsResult =
  | { readonly ok: true; readonly inputs: Inputs }
  | { readonly ok: false; readonly faults: readonly string[] }

/** The default scenario file. */
export const OWN_SCENARIO = 'conformance.yaml'

interface InputOptions {
  readonly scenario: string | undefined
  readonly 'expected-failures': string | undefined
  readonly only: readonly string[]
}

/** Reads the input files of a run and reports all faults at once. */
export function readInputs(given: InputOptions, env: NodeJS.ProcessEnv): InputsResult {
  const scenarioFile = given.scenario ?? (existsSync(OWN_SCENARIO) ? OWN_SCENARIO : undefined)
  const scenario = readScenario(scenarioFile, env)
  const expected = readExpected(given['expected-failures'])
  const faults = [
    ...given.only.flatMap((id) => unknownRule(id) ?? []).map((fault) => `--only: ${fault}`),
    ...scenario.faults,
    ...expected.faults,
  ]
  if (faults.length > 0) return { ok: false, faults }
  const inputs = {
    scenarioFile,
    scenario: scenario.value,
    expectedFailures: expected.value,
    rules: given.only.length === 0 ? undefined : given.only,
  }
  return { ok: true, inputs }
}

interface Read<Value> {
  readonly value: Value
  readonly faults: readonly string[]
}

function readScenario(file: string | undefined, env: NodeJS.ProcessEnv): Read<ScenarioInput> {
  if (file === undefined) return { value: {}, faults: [] }
  const text = readText(file)
  if (text === undefined) return { value: {}, faults: [`${file}: the file cannot be read`] }
  const result = parseScenario(text, { file, env })
  if (result.ok) return { value: result.scenario, faults: [] }
  return { value: {}, faults: [formatScenarioFaults(result.faults)] }
}

function readExpected(file: string | undefined): Read<readonly ExpectedFailure[]> {
  if (file === undefined) return { value: [], faults: [] }
  const text = readText(file)
  if (text === undefined) return { value: [], faults: [`${file}: the file cannot be read`] }
  const result = parseExpectedFailures(text, file)
  if (result.ok) return { value: result.failures, faults: [] }
  return { value: [], faults: [formatScenarioFaults(result.faults)] }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** A format of the report and its file; stdout if there is no file. */
export interface ReportOutput {
  readonly format: ReportFormat
  readonly file: string | undefined
}

/** The outputs, or a fault. */
export type ReportOutputsResult =
  | { readonly ok: true; readonly outputs: readonly ReportOutput[] }
  | { readonly ok: false; readonly fault: string }

/** Reads `--report FORMAT` and `--report FORMAT=FILE`. Without an output for stdout it adds a text report. */
export function readReportOutputs(given: readonly string[], output: string | undefined): ReportOutputsResult {
  const outputs: ReportOutput[] = []
  for (const text of given) {
    const [, name = '', file] = /^([^=]*)=?(.*)$/s.exec(text) ?? []
    const format = reportFormats.find((each) => each === name)
    if (format === undefined)
      return refuse(
        `--report is one of ${reportFormats.join(', ')}, not ${JSON.stringify(name)}${didYouMean(name, reportFormats)}`,
      )
    outputs.push({ format, file: file === '' ? undefined : file })
  }
  const toStdout = outputs.filter(({ file }) => file === undefined)
  if (toStdout.length > 1)
    return refuse('only one report can go to stdout: name files, as in --report html=report.html')
  if (output === undefined)
    return { ok: true, outputs: toStdout.length > 0 ? outputs : [...outputs, textToStdout] }
  const named = outputs.map((each) => (each.file === undefined ? { ...each, file: output } : each))
  if (outputs.length > 0 && toStdout.length === 0) return refuse('--output needs a --report without a file')
  const [first] = named
  return {
    ok: true,
    outputs: first === undefined ? [{ format: 'text', file: output }] : [...named, textToStdout],
  }
}

const textToStdout: ReportOutput = { format: 'text', file: undefined }

function refuse(fault: string): ReportOutputsResult {
  return { ok: false, fault }
}
