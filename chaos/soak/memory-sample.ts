import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GatewayProcess } from '../gateway-process.ts'
import { until } from '../until.ts'

/** The maps or sets of a process that are alive. */
export interface CollectionSizes {
  readonly count: number
  /** In all of them together. */
  readonly entries: number
  readonly largest: readonly number[]
}

/** What a gateway holds when its garbage is gone. */
export interface MemorySample {
  /** How many samples were taken of this process. */
  readonly count: number
  readonly heapBytes: number
  readonly externalBytes: number
  /** What keeps its event loop busy, by kind. */
  readonly handles: Readonly<Record<string, number>>
  readonly maps: CollectionSizes
  readonly sets: CollectionSizes
}

/** How a gateway is started so that samples can be taken of it. */
export function probeOptions(folder: string): {
  readonly file: string
  readonly nodeArguments: readonly string[]
  readonly env: NodeJS.ProcessEnv
} {
  const file = join(folder, 'memory.json')
  const probe = join(import.meta.dirname, 'memory-probe.ts')
  return { file, nodeArguments: ['--expose-gc', '--import', probe], env: { CHAOS_PROBE_FILE: file } }
}

/** A machine that others use too may take long to find every map there is. */
const PATIENCE_MS = 180_000

/** Takes a sample; `before` is the count of the one before. */
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
