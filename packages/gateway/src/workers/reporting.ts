import { setTimeout as sleep } from 'node:timers/promises'
import type { Metrics } from '../metrics/metrics.ts'
import type { MetricValues } from '../metrics/registry.ts'

const REPORT_MS = 1000
/** Of a second, for metrics with many series: what is counted must not cost what is served. */
const MAX_SHARE = 0.01

/** Tells what is counted about once a second, so that little is lost of a worker that is killed. It never ends. */
export function createReporting(
  metrics: Pick<Metrics, 'counts'>,
  tell: (counts: MetricValues) => void,
): void {
  const report = async () => {
    for (;;) {
      const startedAt = performance.now()
      tell(metrics.counts())
      const tookMs = performance.now() - startedAt
      await sleep(Math.max(REPORT_MS, tookMs / MAX_SHARE), undefined, { ref: false })
    }
  }
  void report()
}
