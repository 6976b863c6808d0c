import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { ColdTokensResult } from './measures/cold-tokens.ts'
import type { GrowthResult } from './measures/growth.ts'
import type { LatencyResult } from './measures/latency.ts'
import type { PeersResult } from './measures/peers.ts'
import type { SdkStreamResult } from './measures/sdk-streams.ts'
import type { StartUpResult } from './measures/start-up.ts'
import type { StreamResult } from './measures/streams.ts'
import type { ThroughputResult } from './measures/throughput.ts'
import type { WorkersResult } from './measures/workers.ts'

/** The results of one run; parts that were not measured are absent. */
export interface Results {
  readonly version: string
  readonly commit: string
  readonly date: string
  readonly seed: number
  readonly quick: boolean
  readonly machine: Machine
  /** The part of the CPU time of the run that the host took away. */
  readonly stolenPercent: number
  readonly throughput: readonly ThroughputResult[]
  readonly coldTokens?: ColdTokensResult
  readonly latency?: LatencyResult
  readonly streams?: StreamResult
  readonly sdkStreams?: SdkStreamResult
  readonly startUp?: StartUpResult
  readonly growth?: readonly GrowthResult[]
  readonly workers?: WorkersResult
  readonly peers?: PeersResult
}

/** The machine of a run. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGigabytes: number
  readonly kernel: string
  readonly node: string
  /** The load average before the run: above 0.5 the figures are noisy. */
  readonly loadBefore: number
}

/** The short id of the current commit. */
export function readCommit(): string {
  const root = join(import.meta.dirname, '..')
  try {
    return execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'no commit'
  }
}
