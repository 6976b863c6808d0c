import { NO_TOKEN } from '../scenario/check-names.ts'
import type { Seen } from './observation.ts'
import { prepare, type Run } from './run.ts'

const METRICS_PATH = '/metrics'
// A busy gateway has many series.
const limits = { maxBytes: 16_777_216 }

/** Reads the metrics at the end of a run, when there is something to count. */
export async function observeMetrics(run: Run): Promise<Seen[]> {
  const { metrics, target } = run.scenario
  if (metrics === undefined && target === 'service')
    return [{ name: 'metrics', missing: 'metrics are a gateway’s' }]
  const request = { method: 'GET', path: metrics ?? METRICS_PATH, token: NO_TOKEN } as const
  const prepared = await prepare(run, request, { trace: {}, headers: { Accept: 'text/plain, */*' } })
  return [{ name: 'metrics', exchanges: [await run.wire.send(prepared, limits)] }]
}
