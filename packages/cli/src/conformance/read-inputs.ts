import { existsSync, readFileSync } from 'node:fs'
import {
  type ExpectedFailure,
  formatScenarioFaults,
  parseExpectedFailures,
  parseScenario,
  type ScenarioInput,
  unknownRule,
} from '@agentic-rest/conformance'

/** What a run needs besides the address. */
export interface Inputs {
  /** Absent when there is none: then next to nothing can be observed. */
  readonly scenarioFile: string | undefined
  readonly scenario: ScenarioInput
  readonly expectedFailures: readonly ExpectedFailure[]
  readonly rules: readonly string[] | undefined
}

/** The inputs, or everything that is wrong with them. */
export type InputsResult =
  | { readonly ok: true; readonly inputs: Inputs }
  | { readonly ok: false; readonly faults: readonly string[] }

/** The scenario that is taken when none is named. */
export const OWN_SCENARIO = 'conformance.yaml'

/** The options that name inputs. */
export interface GivenInputs {
  readonly scenario: string | undefined
  readonly 'expected-failures': string | undefined
  readonly only: readonly string[]
}

/** Reads the files that a run is told about, with every fault at once. */
export function readInputs(given: GivenInputs, env: NodeJS.ProcessEnv): InputsResult {
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
