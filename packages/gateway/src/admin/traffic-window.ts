import type { ExchangeTimes } from './exchange-times.ts'
import { roundMs } from './exchange-times.ts'

/** Two points of a distribution, in milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p99: number
}

/** What happened since the window was last taken. */
export interface Traffic {
  readonly requests: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly latency: Percentiles | null
  readonly upstream: Percentiles | null
  readonly plugins: Percentiles | null
}

/** Counts the requests of one second, in a fixed amount of memory. */
export interface TrafficWindow {
  add(outcome: string, times: ExchangeTimes): void
  /** Gives the counts and starts anew. */
  take(): Traffic
}

const MAX_SAMPLES = 1024

/** Makes a window. */
export function createTrafficWindow(): TrafficWindow {
  const outcomes = new Map<string, number>()
  const latency = createSamples()
  const upstream = createSamples()
  const plugins = createSamples()
  let requests = 0
  return {
    add(outcome, { durationMs, upstreamMs, pluginMs }) {
      requests += 1
      // Labels are ours, so there are few of them.
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      latency.add(durationMs)
      plugins.add(pluginMs)
      if (upstreamMs !== undefined) upstream.add(upstreamMs)
    },
    take() {
      const traffic = {
        requests,
        outcomes: Object.fromEntries(outcomes),
        latency: latency.take(),
        upstream: upstream.take(),
        plugins: plugins.take(),
      }
      requests = 0
      outcomes.clear()
      return traffic
    },
  }
}

/** At most so many values; each further one takes the place of a random earlier one, so that all count alike. */
function createSamples(): { add(value: number): void; take(): Percentiles | null } {
  const values = new Float64Array(MAX_SAMPLES)
  let seen = 0
  return {
    add(value) {
      const place = seen < MAX_SAMPLES ? seen : Math.floor(Math.random() * (seen + 1))
      if (place < MAX_SAMPLES) values[place] = value
      seen += 1
    },
    take() {
      const sorted = values.slice(0, Math.min(seen, MAX_SAMPLES)).sort()
      seen = 0
      if (sorted.length === 0) return null
      const at = (share: number) => roundMs(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
      return { p50: at(0.5), p99: at(0.99) }
    },
  }
}
