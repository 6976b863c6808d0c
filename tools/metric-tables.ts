import { conditions, outcomeTypes } from '@agentic-rest/profile'
import { codeText, markdownTable, tableText } from './generated.ts'

// Loaded on demand: a gateway that does not load must not stop the other generators.
const loadMetrics = () => import('../packages/gateway/src/metrics/metric-table.ts')

/** Every metric with its type and labels. */
export async function metricsTable(): Promise<string> {
  const { metricTable } = await loadMetrics()
  return markdownTable(
    ['Metric', 'Type', 'Labels', 'What it says'],
    Object.values(metricTable).map(({ name, type, labels, help }) => [
      codeText(name),
      type,
      labels.map(codeText).join(', ') || 'none',
      tableText(help),
    ]),
  )
}

/** The upper bounds of the buckets of each histogram. */
export async function bucketsTable(): Promise<string> {
  const { metricTable } = await loadMetrics()
  const histograms = Object.values(metricTable).flatMap((row) => ('buckets' in row ? [row] : []))
  return markdownTable(
    ['Histogram', 'Buckets up to, in seconds'],
    histograms.map(({ name, buckets }) => [codeText(name), buckets.join(', ')]),
  )
}

/** All values of the label `outcome` of requests (decision 25). */
export function outcomeLabels(): string {
  const untyped = [2, 3, 4, 5].map((hundred) => `untyped_${hundred}xx`)
  return markdownTable(
    ['Value of `outcome`', 'When'],
    [
      [list(outcomeTypes), 'the answer has status and media type of this outcome'],
      [list(Object.keys(conditions)), 'an HTTP condition outside the ten, with the generic error body'],
      [list(['client_disconnect']), 'the client left before its answer was complete'],
      [list(untyped), 'any other answer of a service, by its status'],
    ],
  )
}

function list(words: readonly string[]): string {
  return words.map(codeText).join(', ')
}
