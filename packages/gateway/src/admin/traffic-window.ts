import type { AdminBody } from '@agentic-rest/profile/admin'
import { type ExchangeTimes, roundMs } from './exchange-times.ts'

/** The requests since the last summary. */
export type Traffic = Pick<AdminBody<'Summary'>, 'requests' | 'outcomes' | 'latency' | 'upstream' | 'plugins'>

/** Counts the requests of one second, in a fixed amount of memory. */
export class TrafficWindow {
  readonly #outcomes = new Map<string, number>()
  readonly #latency = new Samples()
  readonly #upstream = new Samples()
  readonly #plugins = new Samples()
  #requests = 0

  add(outcome: string, { durationMs, upstreamMs, pluginMs }: ExchangeTimes): void {
    this.#requests += 1
    // Bounded: outcome labels come from the gateway itself.
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1)
    this.#latency.add(durationMs)
    this.#plugins.add(pluginMs)
    if (upstreamMs !== undefined) this.#upstream.add(upstreamMs)
  }

  /** Returns the counts and starts again at 0. */
  take(): Traffic {
    const traffic = {
      requests: this.#requests,
      outcomes: Object.fromEntries(this.#outcomes),
      latency: this.#latency.take(),
      upstream: this.#upstream.take(),
      plugins: this.#plugins.take(),
    }
    this.#requests = 0
    this.#outcomes.clear()
    return traffic
  }
}

const MAX_SAMPLES = 1024

/** A reservoir sample: above its size, each value replaces a random one, so that all values have the same chance. */
class Samples {
  readonly #values = new Float64Array(MAX_SAMPLES)
  #seen = 0

  add(value: number): void {
    const place = this.#seen < MAX_SAMPLES ? this.#seen : Math.floor(Math.random() * (this.#seen + 1))
    if (place < MAX_SAMPLES) this.#values[place] = value
    this.#seen += 1
  }

  take(): AdminBody<'Percentiles'> | null {
    const sorted = this.#values.slice(0, Math.min(this.#seen, MAX_SAMPLES)).sort()
    this.#seen = 0
    if (sorted.length === 0) return null
    const at = (share: number) => roundMs(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
    return { p50: at(0.5), p99: at(0.99) }
  }
}
