/** A metric with its series, for the text format of Prometheus. */
export interface MetricText {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** The names of the labels. */
  readonly labels: readonly string[]
  /** The upper bounds of a histogram, ascending; the last one, which is infinite, may be left out. */
  readonly buckets?: readonly number[] | undefined
  readonly series: readonly MetricSeries[]
}

/** The values of one combination of labels. */
export interface MetricSeries {
  /** The values of the labels, in the order of their names. */
  readonly labels: readonly string[]
  /** The value, or the sum of a histogram. */
  readonly value: number
  /** The count of each bucket of a histogram, the infinite one last; not cumulative. */
  readonly counts?: readonly number[] | undefined
}

/** The media type of the text. */
export const METRIC_TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Version 0.0.4 of the text format of Prometheus. */
export function metricText(metrics: readonly MetricText[]): string {
  return `${metrics.map(textOf).join('\n\n')}\n`
}

function textOf(metric: MetricText): string {
  const { name, help, type, series } = metric
  const head = [`# HELP ${name} ${escapeLine(help)}`, `# TYPE ${name} ${type}`]
  return [...head, ...series.flatMap((one) => samplesOf(metric, one))].join('\n')
}

function samplesOf({ name, labels: names, buckets }: MetricText, series: MetricSeries): string[] {
  const labels = names.map((label, index) => labelText(label, series.labels[index] ?? ''))
  if (series.counts === undefined) return [sampleText(name, labels, series.value)]
  // A bucket of the text format includes all smaller ones.
  let total = 0
  const samples = series.counts.map((count, index) => {
    total += count
    const bound = buckets?.[index] ?? Number.POSITIVE_INFINITY
    return sampleText(`${name}_bucket`, [labelText('le', numberText(bound)), ...labels], total)
  })
  return [
    ...samples,
    sampleText(`${name}_sum`, labels, series.value),
    sampleText(`${name}_count`, labels, total),
  ]
}

function sampleText(name: string, labels: readonly string[], value: number): string {
  const labelled = labels.length === 0 ? name : `${name}{${labels.join(',')}}`
  return `${labelled} ${numberText(value)}`
}

function labelText(name: string, value: string): string {
  return `${name}="${escapeLine(value).replaceAll('"', '\\"')}"`
}

function escapeLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

/** JavaScript writes numbers as Go reads them, except for infinity. */
function numberText(value: number): string {
  if (Math.abs(value) !== Number.POSITIVE_INFINITY) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}
