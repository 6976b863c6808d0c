import type { GrowthResult } from './measures/growth.ts'
import type { LatencyResult } from './measures/latency.ts'
import type { StartUpResult } from './measures/start-up.ts'
import type { StreamResult } from './measures/streams.ts'
import type { ThroughputResult } from './measures/throughput.ts'
import type { WorkersResult } from './measures/workers.ts'

/** Everything that one run measured; what was left out is absent. */
export interface Results {
  readonly version: string
  readonly commit: string
  readonly date: string
  readonly seed: number
  readonly quick: boolean
  readonly machine: Machine
  readonly throughput: readonly ThroughputResult[]
  readonly latency?: LatencyResult
  readonly streams?: StreamResult
  readonly startUp?: StartUpResult
  readonly growth?: readonly GrowthResult[]
  readonly workers?: WorkersResult
}

/** Where it was measured. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGigabytes: number
  readonly kernel: string
  readonly node: string
  /** Work that other processes had queued when the run began: above 0.5 the figures are noisy. */
  readonly loadBefore: number
}
