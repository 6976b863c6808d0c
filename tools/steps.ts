import { availableParallelism } from 'node:os'
import type { Fault } from './fault.ts'

/** One step of `npm run check`. */
export interface Step {
  readonly name: string
  run(): readonly Fault[] | Promise<readonly Fault[]>
}

/** The result of a step. `crash` is the message of a step that threw. */
export interface StepResult {
  readonly name: string
  readonly faults: readonly Fault[]
  readonly crash?: string
  readonly tookMs: number
}

/** Runs all steps, one per core at a time. A failed step does not stop the others. */
export async function runSteps(
  steps: readonly Step[],
  report: (result: StepResult) => void,
): Promise<StepResult[]> {
  const waiting = [...steps]
  const results: StepResult[] = []
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const result = await runStep(step)
      results.push(result)
      report(result)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return results
}

async function runStep({ name, run }: Step): Promise<StepResult> {
  const start = performance.now()
  try {
    const faults = await run()
    return { name, faults, tookMs: performance.now() - start }
  } catch (error) {
    const crash = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { name, faults: [], crash, tookMs: performance.now() - start }
  }
}

/** Whether a step ran to its end without a finding. */
export function isClean({ faults, crash }: StepResult): boolean {
  return faults.length === 0 && crash === undefined
}
