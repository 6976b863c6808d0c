import { createRequire } from 'node:module'
import type * as PromClient from 'prom-client'

// The index of prom-client also loads the metrics of a process, and with them all of OpenTelemetry's API: 75 files
// that nothing here uses, at every start. A test compares these with what the index has.
const load = createRequire(import.meta.url)

/** The counter of prom-client. */
export const Counter: typeof PromClient.Counter = load('prom-client/lib/counter.js')

/** The gauge of prom-client. */
export const Gauge: typeof PromClient.Gauge = load('prom-client/lib/gauge.js')

/** The histogram of prom-client. */
export const Histogram: typeof PromClient.Histogram = load('prom-client/lib/histogram.js')

/** The registry of prom-client. */
export const Registry: typeof PromClient.Registry = load('prom-client/lib/registry.js')

/** A registry that was made. */
export type Registry = PromClient.Registry

/** A histogram that was made. */
export type Histogram = PromClient.Histogram

/** Adds up what several registries hold; loaded where there are several. */
export function loadAggregatorRegistry(): typeof PromClient.AggregatorRegistry {
  return load('prom-client/lib/cluster.js')
}
