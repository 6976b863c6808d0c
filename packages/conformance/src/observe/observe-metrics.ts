import { setTimeout as pause } from 'node:timers/promises'
import { headers, outcomeTypes } from '@agentic-rest/profile'
import { NO_TOKEN } from '../scenario/scenario-schema.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Expected, Seen } from './observation.ts'
import { prepare, type Run } from './run.ts'
import { attempt, sendProbe } from './take-steps.ts'

const METRICS_PATH = '/metrics'
// A busy gateway has many series.
const limits = { maxBytes: 16_777_216 }
const COUNTED_MS = 2_000
const PAUSE_MS = 50

/** Reads the metrics before and after a request. */
export async function observeMetrics(run: Run): Promise<Seen[]> {
  const { metrics, target } = run.scenario
  if (metrics === undefined && target === 'service')
    return [{ name: 'metrics', missing: 'metrics are a gateway’s' }]
  const before = await scrape(run)
  const { contrast, expected } = await sendCounted(run)
  if (contrast === undefined) return [{ name: 'metrics', exchanges: [before] }]
  const wanted = { outcome: expected.type, tenant: contrast.request.headers[headers.tenantId] }
  const after = await scrapeAgain(run, before, wanted)
  return [{ name: 'metrics', exchanges: [before, after], contrast, expected }]
}

async function scrape(run: Run): Promise<Exchange> {
  const path = run.scenario.metrics ?? METRICS_PATH
  const request = { method: 'GET', path, token: NO_TOKEN } as const
  const prepared = await prepare(run, request, { trace: {}, headers: { Accept: 'text/plain, */*' } })
  return await run.wire.send(prepared, limits)
}

/** Retries for a moment: a request may be counted after its answer. */
async function scrapeAgain(run: Run, before: Exchange, wanted: CountedRequests): Promise<Exchange> {
  const counted = ({ answer }: Exchange) => requestsCounted(readMetrics(answer?.body ?? ''), wanted)
  const isCounter = readMetrics(before.answer?.body ?? '').types.size > 0
  const endAt = performance.now() + (isCounter ? COUNTED_MS : 0)
  for (;;) {
    const after = await scrape(run)
    if (counted(after) > counted(before) || after.unsent || performance.now() > endAt) return after
    await pause(PAUSE_MS)
  }
}

/** Sends the first outcome of the scenario. A success also reaches the upstream. */
async function sendCounted(run: Run): Promise<{ contrast?: Exchange | undefined; expected: Expected }> {
  const type = outcomeTypes.find((each) => run.scenario.outcomes?.[each] !== undefined)
  const probe = type && run.scenario.outcomes?.[type]
  if (probe === undefined) return { expected: {} }
  const seen = await attempt(run, 'metrics', async () => ({ exchanges: [await sendProbe(run, probe)] }))
  return { contrast: 'missing' in seen ? undefined : seen.exchanges[0], expected: { type } }
}

/** One sample of a text exposition. */
export interface Sample {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
}

/** Parsed metrics. */
export interface Metrics {
  /** The declared types, by metric name. */
  readonly types: ReadonlyMap<string, string>
  readonly samples: readonly Sample[]
}

/** Parses a text exposition. Invalid lines are skipped. */
export function readMetrics(text: string): Metrics {
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const [, typed, type] = /^# TYPE (\S+) (\w+)\s*$/.exec(line) ?? []
    if (typed !== undefined && type !== undefined) types.set(typed, type)
    const [, name, labels = '', value] = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    if (name !== undefined) samples.push({ name, labels: readLabels(labels), value: readValue(value) })
  }
  return { types, samples }
}

/** The counter of requests (Endpoints, 8). */
export const REQUESTS = 'agentic_requests_total'

/** A filter for requests; empty means all. */
interface CountedRequests {
  readonly outcome?: string | undefined
  readonly tenant?: string | undefined
}

/** The number of counted requests. */
export function requestsCounted({ samples }: Metrics, { outcome, tenant }: CountedRequests = {}): number {
  return samples
    .filter(({ name }) => name === REQUESTS)
    .filter(({ labels }) => outcome === undefined || labels.get('outcome') === outcome)
    .filter(({ labels }) => tenant === undefined || isTenant(labels.get('tenant_id'), tenant))
    .reduce((sum, { value }) => sum + value, 0)
}

/** A gateway with many tenants counts further tenants together as `other` (decision 25). */
function isTenant(label: string | undefined, tenant: string): boolean {
  return label === tenant || label === 'other'
}

function readLabels(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )
}

function readValue(text = ''): number {
  if (/^\+?Inf$/i.test(text)) return Number.POSITIVE_INFINITY
  return text === '' ? Number.NaN : Number(text)
}
