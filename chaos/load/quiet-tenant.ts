import { percentile } from '../../bench/statistics.ts'
import { type ChaosContext, type Figure, scaled } from '../chaos-run.ts'
import { isServed } from './open-load.ts'
import type { PacedLoad, PacedSample } from './paced-load.ts'

/** The requests of a tenant without noise beside it, and with it. */
export interface QuietSamples {
  readonly alone: PacedSample[]
  readonly beside: PacedSample[]
}

/** The load of the quiet tenant for one part of a round. */
export function quietLoad(context: ChaosContext, load: PacedLoad): Promise<readonly PacedSample[]> {
  return load.run(scaled(context, 'seconds') * 1000, context.signal)
}

/** What the quiet tenant got; with the scale `ratio` 0 the times have no limit. */
export function quietFigures(context: ChaosContext, { alone, beside }: QuietSamples): Figure[] {
  const limit = scaled(context, 'ratio')
  const ratio = p99(beside) / p99(alone)
  const unserved = [...alone, ...beside].filter(({ ending }) => !isServed(ending)).length
  return [
    { name: 'quiet requests alone', measured: alone.length, limit: 1, kind: 'at least' },
    { name: 'quiet requests beside', measured: beside.length, limit: 1, kind: 'at least' },
    { name: 'quiet requests not served', measured: unserved, limit: 0, kind: 'exactly' },
    { name: 'p99 of the quiet tenant alone', measured: p99(alone), unit: 'ms', limit: 0, kind: 'at least' },
    { name: 'p99 of the quiet tenant beside', measured: p99(beside), unit: 'ms', limit: 0, kind: 'at least' },
    ...(limit > 0
      ? [{ name: 'p99 beside, in p99 alone', measured: ratio, limit, kind: 'at most' } as const]
      : []),
  ]
}

/** The wait that 99 of 100 samples do not exceed, in milliseconds. */
function p99(samples: readonly PacedSample[]): number {
  const waits = samples.map(({ ms }) => ms).toSorted((first, second) => first - second)
  return percentile(waits, 99)
}
