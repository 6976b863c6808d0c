import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { until } from '../until.ts'

/** The live maps or sets of a process. */
export interface CollectionSizes {
  readonly count: number
  /** The sum over all collections. */
  readonly entries: number
  readonly largest: readonly number[]
}

/** The memory of a gateway after garbage collection. */
export interface MemorySample {
  /** The number of samples of this process. */
  readonly count: number
  readonly heapBytes: number
  readonly externalBytes: number
  /** The active handles by kind. */
  readonly handles: Readonly<Record<string, number>>
  readonly maps: CollectionSizes
  readonly sets: CollectionSizes
}

/** The start options for a gateway with memory samples. */
export function probeOptions(folder: string): {
  readonly file: string
  readonly nodeArguments: readonly string[]
  readonly env: NodeJS.ProcessEnv
} {
  const file = join(folder, 'memory.json')
  const probe = join(import.meta.dirname, 'memory-probe.ts')
  return { file, nodeArguments: ['--expose-gc', '--import', probe], env: { CHAOS_PROBE_FILE: file } }
}

/** On a busy machine finding all maps may take long. */
const PATIENCE_MS = 180_000

/** Takes a sample; `before` is the count of the previous one. */
export async function takeSample(
  gateway: GatewayProcess,
  file: string,
  before: number,
): Promise<MemorySample> {
  gateway.kill('SIGUSR2')
  const sample = await until(
    () => readSample(file),
    (read) => (read?.count ?? 0) > before,
    PATIENCE_MS,
  )
  if (sample === undefined || sample.count <= before)
    throw new Error(`the gateway (${describeEnd(gateway)}) gave no sample:\n${gateway.errors()}`)
  return sample
}

function describeEnd(gateway: GatewayProcess): string {
  const end = gateway.end()
  return end === undefined ? 'running' : `ended with ${end.code ?? end.signal}`
}

function readSample(file: string): MemorySample | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as MemorySample
  } catch {
    return undefined
  }
}
