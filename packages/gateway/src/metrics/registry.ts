import { METRIC_TEXT_TYPE, metricText } from '@agentic-rest/profile'

/** What a metric is called, what it counts and how it is labelled. */
export interface MetricDescription {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  /** How the values of several processes combine; a sum unless given. */
  readonly together?: 'sum' | 'first' | 'max' | 'min'
  /** The upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[]
}

/** One combination of label values, in the order of the metric's labels, with its number. */
export interface Series {
  readonly labels: readonly string[]
  /** In a histogram: the sum of the observed values. */
  value: number
  /** In a histogram: the observations of each bucket alone; the last bucket has no upper bound. */
  readonly counts?: number[] | undefined
}

/** Metrics as plain JSON, which one process can send to another. */
export type MetricValues = readonly (MetricDescription & { readonly series: readonly Series[] })[]

/** The answer to a scrape. */
export interface Exposition {
  readonly contentType: string
  readonly text: string
}

/** Replaces label values that would make a metric too large; returns other labels as they are. */
export type CapLabels = (metric: MetricDescription, labels: readonly string[]) => readonly string[]

type Described<Type> = MetricDescription & { readonly type: Type }
type LabelValues<Names extends readonly string[]> = { readonly [Index in keyof Names]: string }

interface SeriesNode {
  series: Series | undefined
  readonly next: Map<string, SeriesNode>
}

/**
 * Series by their label values, one map for each label. Every request comes here several times, and one key of all values
 * would have to be made each time.
 */
class SeriesTree {
  readonly all: Series[] = []
  #root: SeriesNode = { series: undefined, next: new Map() }

  find(labels: readonly string[]): Series | undefined {
    let node: SeriesNode | undefined = this.#root
    for (let index = 0; index < labels.length && node !== undefined; index += 1)
      node = node.next.get(labels[index] as string)
    return node?.series
  }

  add(series: Series): void {
    let node = this.#root
    for (const label of series.labels) {
      const next = node.next.get(label) ?? { series: undefined, next: new Map() }
      node.next.set(label, next)
      node = next
    }
    node.series = series
    this.all.push(series)
  }

  clear(): void {
    this.all.length = 0
    this.#root = { series: undefined, next: new Map() }
  }
}

/** The series of one metric. */
class Metric {
  readonly description: MetricDescription
  readonly #capLabels: CapLabels
  readonly #series = new SeriesTree()

  constructor(description: MetricDescription, capLabels: CapLabels) {
    this.description = description
    this.#capLabels = capLabels
  }

  get series(): readonly Series[] {
    return this.#series.all
  }

  /** The series of these labels; a new one starts at 0. */
  protected at(labels: readonly string[]): Series {
    return this.#series.find(labels) ?? this.#begin(labels)
  }

  #begin(labels: readonly string[]): Series {
    const capped = this.#capLabels(this.description, labels)
    if (capped !== labels) return this.at(capped)
    const { buckets } = this.description
    const counts = buckets && new Array<number>(buckets.length + 1).fill(0)
    const series = { labels, value: 0, counts }
    this.#series.add(series)
    return series
  }

  /** Combines a series of another process with the one of the same labels. */
  merge({ labels, value, counts }: Series): void {
    const capped = this.#capLabels(this.description, labels)
    const known = this.#series.find(capped)
    if (known === undefined) {
      this.#series.add({ labels: capped, value, counts: counts && [...counts] })
      return
    }
    switch (this.description.together ?? 'sum') {
      case 'first':
        return
      case 'max':
        known.value = Math.max(known.value, value)
        return
      case 'min':
        known.value = Math.min(known.value, value)
        return
      case 'sum':
        known.value += value
        for (const [index, count] of counts?.entries() ?? []) addTo(known.counts, index, count)
    }
  }

  /** Removes every series; a metric without labels has one again, at 0. */
  reset(): void {
    this.#series.clear()
    if (this.description.labels.length === 0) this.at([])
  }
}

/** A number that only grows. */
class Counter<Labels extends readonly string[]> extends Metric {
  inc(...labels: Labels): void {
    this.at(labels).value += 1
  }

  add(amount: number, ...labels: Labels): void {
    this.at(labels).value += amount
  }

  /** The series of these labels, for callers that count in it often: finding it costs more than counting. */
  seriesOf(...labels: Labels): Series {
    return this.at(labels)
  }
}

/** A number that goes up and down. */
class Gauge<Labels extends readonly string[]> extends Metric {
  set(value: number, ...labels: Labels): void {
    this.at(labels).value = value
  }

  add(amount: number, ...labels: Labels): void {
    this.at(labels).value += amount
  }
}

/** Observed values, counted by size. */
class Histogram<Labels extends readonly string[]> extends Metric {
  observe(value: number, ...labels: Labels): void {
    const series = this.at(labels)
    series.value += value
    const { buckets = [] } = this.description
    let index = 0
    while (index < buckets.length && value > (buckets[index] as number)) index += 1
    addTo(series.counts, index, 1)
  }
}

/** The metrics of one process, or the merged metrics of several. */
export class Registry {
  readonly #metrics = new Map<string, Metric>()
  readonly #capLabels: CapLabels

  constructor(capLabels: CapLabels = (_metric, labels) => labels) {
    this.#capLabels = capLabels
  }

  counter<Row extends Described<'counter'>>(row: Row): Counter<LabelValues<Row['labels']>> {
    return this.#register(new Counter(row, this.#capLabels))
  }

  gauge<Row extends Described<'gauge'>>(row: Row): Gauge<LabelValues<Row['labels']>> {
    return this.#register(new Gauge(row, this.#capLabels))
  }

  histogram<Row extends Described<'histogram'>>(row: Row): Histogram<LabelValues<Row['labels']>> {
    return this.#register(new Histogram(row, this.#capLabels))
  }

  #register<Kind extends Metric>(metric: Kind): Kind {
    const { name } = metric.description
    if (this.#metrics.has(name)) throw new Error(`two metrics are called ${name}`)
    this.#metrics.set(name, metric)
    metric.reset()
    return metric
  }

  /** The values of this moment. */
  values(): MetricValues {
    return this.#all.map(({ description, series }) => ({ ...description, series: series.map(copyOf) }))
  }

  /** Combines the values of another process with these, each metric as its `together` says. */
  merge(values: MetricValues): void {
    for (const { series, ...description } of values) {
      const metric = this.#metrics.get(description.name) ?? new Metric(description, this.#capLabels)
      this.#metrics.set(description.name, metric)
      for (const one of series) metric.merge(one)
    }
  }

  /** Version 0.0.4 of the text format of Prometheus. */
  expose(): Exposition {
    const text = metricText(this.#all.map(({ description, series }) => ({ ...description, series })))
    return { contentType: METRIC_TEXT_TYPE, text }
  }

  get #all(): readonly Metric[] {
    return [...this.#metrics.values()]
  }
}

/** Counters and histograms outlive their process; a gauge of an ended process has no meaning. */
export function isCount({ type }: MetricDescription): boolean {
  return type !== 'gauge'
}

function addTo(counts: number[] | undefined, index: number, amount: number): void {
  if (counts !== undefined) counts[index] = (counts[index] ?? 0) + amount
}

function copyOf({ labels, value, counts }: Series): Series {
  return { labels, value, counts: counts && [...counts] }
}
