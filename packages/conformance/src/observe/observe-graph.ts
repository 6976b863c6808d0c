import { attempt } from './attempt.ts'
import { notInScenario, type Seen } from './observation.ts'
import { expectedOf } from './observe-outcomes.ts'
import type { Run } from './run.ts'
import { sendProbe } from './take-steps.ts'

const passedOn = ['failed_dependency', 'clarification_required', 'approval_required'] as const

/** Provokes, behind an agent, each outcome that an agent has to pass on. */
export async function observeGraph(run: Run): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const type of passedOn) {
    const name = `graph.${type}` as const
    const probe = run.scenario.graph?.[type]
    if (probe === undefined) seen.push(notInScenario(name, name))
    else
      seen.push(
        await attempt(run, name, async () => ({
          exchanges: [await sendProbe(run, probe)],
          expected: expectedOf(probe),
        })),
      )
  }
  return seen
}
