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
  { title: 'refusals', sees: /^(token\.|tenant\.|echo|.*-upstream$)/, observe: observeRefusals },
  { title: 'stream', sees: /^stream/, observe: observeStream },
  { title: 'limit', sees: /^limit/, observe: observeLimit },
  { title: 'deadline', sees: /^deadline/, observe: observeDeadline },
  { title: 'agent graph', sees: /^graph\.(?!hop)/, observe: observeGraph },
  { title: 'retries', sees: /^(retry|graph\.hop)/, observe: observeRetries },
  { title: 'metrics', sees: /^metrics/, observe: observeMetrics },
] as const

/** The title of a stage, for progress messages. */
export type Stage = (typeof stages)[number]['title']

/** The options of `observe`. */
interface Observing {
  /** The folder for file names of the scenario. */
  readonly folder: string
  readonly onStage?: ((stage: Stage) => void) | undefined
}

/** Runs the stages of a scenario and collects the observations. It does not judge them. */
export async function observe(run: Run, { folder, onStage }: Observing): Promise<Evidence> {
  const seen: Seen[] = []
  for (const { title, sees, observe: look } of stages) {
    // Stages that no rule needs are skipped.
    if (![...run.wanted].some((name) => sees.test(name))) continue
    onStage?.(title)
    seen.push(...(await look(run)))
  }
  return createEvidence(run.scenario.target, [...seen, ...observeFiles(run.scenario, folder)])
}
