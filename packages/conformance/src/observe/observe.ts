import { createEvidence, type Evidence, type Seen } from './observation.ts'
import { observeFiles } from './observe-files.ts'
import { observeIds } from './observe-ids.ts'
import { observeDeadline, observeLimit } from './observe-limits.ts'
import { observeMetrics } from './observe-metrics.ts'
import { observeGraph, observeOutcomes } from './observe-outcomes.ts'
import { observeRefusals } from './observe-refusals.ts'
import { observeRetries } from './observe-retries.ts'
import { observeStream } from './observe-stream.ts'
import type { Run } from './run.ts'

const stages = [
  { title: 'outcomes', sees: /^(outcomes\.|status-url)/, observe: observeOutcomes },
  { title: 'ids', sees: /^(ids\.|accept)/, observe: observeIds },
  { title: 'refusals', sees: /^(token\.|tenant\.|traceless|mismatched)/, observe: observeRefusals },
  { title: 'stream', sees: /^stream/, observe: observeStream },
  { title: 'limit', sees: /^limit/, observe: observeLimit },
  { title: 'deadline', sees: /^deadline/, observe: observeDeadline },
  { title: 'agent graph', sees: /^graph\.(?!hop)/, observe: observeGraph },
  { title: 'retries', sees: /^(retry|graph\.hop)/, observe: observeRetries },
  { title: 'metrics', sees: /^metrics/, observe: observeMetrics },
] as const

/** What is being looked at, as a reader would say it. */
export type Stage = (typeof stages)[number]['title']

/** How a scenario is carried out. */
interface Observing {
  /** File names of the scenario start from here. */
  readonly folder: string
  readonly onStage?: ((stage: Stage) => void) | undefined
}

/** Carries out a scenario, one stage after the other, and collects what is seen. It judges nothing. */
export async function observe(run: Run, { folder, onStage }: Observing): Promise<Evidence> {
  const seen: Seen[] = []
  for (const { title, sees, observe: look } of stages) {
    // A stage that sees nothing of what is wanted is left out.
    if (![...run.wanted].some((name) => sees.test(name))) continue
    onStage?.(title)
    seen.push(...(await look(run)))
  }
  return createEvidence(run.scenario.target, [...seen, ...observeFiles(run.scenario, folder)])
}
