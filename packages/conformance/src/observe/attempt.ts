import { UnknownValueError } from './fill-values.ts'
import type { Observation, ObservationName, Seen } from './observation.ts'
import type { Run } from './run.ts'
import { StepError } from './take-steps.ts'
import { TokenSourceError } from './tokens.ts'

const expected = [StepError, TokenSourceError, UnknownValueError]

/** Makes an observation; what keeps the scenario from being carried out is taken down, and nothing was seen. */
export async function attempt(
  run: Run,
  name: ObservationName,
  observe: () => Promise<Omit<Observation, 'name'> | string>,
): Promise<Seen> {
  try {
    const seen = await observe()
    return typeof seen === 'string' ? { name, missing: seen } : { name, ...seen }
  } catch (error) {
    if (!(error instanceof Error) || !expected.some((kind) => error instanceof kind)) throw error
    run.problem(`${name}: ${error.message}`)
    return { name, missing: error.message }
  }
}
