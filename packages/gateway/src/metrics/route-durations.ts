import type { Histogram, HistogramConfiguration, MetricValueWithName } from 'prom-client'

/** A histogram of times by route. */
export interface RouteDurations {
  observe(route: string, seconds: number): void
}

/** What was observed of one route; the last count is of what lies above every bound. */
interface Observed {
  readonly counts: number[]
  sum: number
}

/**
 * Makes it. Every request observes two times, and prom-client checks and joins all labels each time; here one look-up
 * finds the numbers. To its registry a metric is whatever has a name and says its values.
 */
export function createRouteDurations(
  { name, help, registers = [] }: HistogramConfiguration<string>,
  bounds: readonly number[],
): RouteDurations {
  const routes = new Map<string, Observed>()
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...routes].flatMap(([route, observed]) => valuesOf(name, bounds, { route, ...observed })),
  })
  for (const registry of registers) registry.registerMetric({ name, get } as unknown as Histogram)
  const observedOf = (route: string): Observed => {
    const known = routes.get(route)
    if (known !== undefined) return known
    const observed = { counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
    routes.set(route, observed)
    return observed
  }
  return {
    observe(route, seconds) {
      const observed = observedOf(route)
      observed.sum += seconds
      let index = 0
      while (index < bounds.length && seconds > (bounds[index] as number)) index += 1
      observed.counts[index] = (observed.counts[index] as number) + 1
    },
  }
}

/** Prometheus counts in each bucket what is in the smaller ones too. */
function valuesOf(
  name: string,
  bounds: readonly number[],
  { route, counts, sum }: Observed & { readonly route: string },
): MetricValueWithName<string>[] {
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    return { labels: { le: bounds[index] ?? '+Inf', route }, value: total, metricName: `${name}_bucket` }
  })
  return [
    ...buckets,
    { labels: { route }, value: sum, metricName: `${name}_sum` },
    { labels: { route }, value: total, metricName: `${name}_count` },
  ]
}
