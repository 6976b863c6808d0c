import { setTimeout as pause } from 'node:timers/promises'
import { headers, outcomeTypes } from '@agentic-rest/profile'
import { NO_TOKEN } from '../scenario/check-names.ts'
import type { Exchange } from '../wire/exchange.ts'
import { attempt } from './attempt.ts'
import { type CountedRequests, readMetrics, requestsCounted } from './metric-samples.ts'
import type { Expected, Seen } from './observation.ts'
import { prepare, type Run } from './run.ts'
import { sendProbe } from './take-steps.ts'

const METRICS_PATH = '/metrics'
// A busy gateway has many series.
const limits = { maxBytes: 16_777_216 }
const COUNTED_MS = 2_000
const PAUSE_MS = 50

/** Reads the metrics before and after a request that has to be in them. */
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

/** A request may be counted a moment after its answer. */
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

/** The first outcome of the scenario will do: a success, where it has one, has been at the upstream too. */
async function sendCounted(run: Run): Promise<{ contrast?: Exchange | undefined; expected: Expected }> {
  const type = outcomeTypes.find((each) => run.scenario.outcomes?.[each] !== undefined)
  const probe = type && run.scenario.outcomes?.[type]
  if (probe === undefined) return { expected: {} }
  const seen = await attempt(run, 'metrics', async () => ({ exchanges: [await sendProbe(run, probe)] }))
  return { contrast: 'missing' in seen ? undefined : seen.exchanges[0], expected: { type } }
}
