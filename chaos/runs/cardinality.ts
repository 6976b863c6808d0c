import { headers, outcomes } from '@agentic-rest/profile'
import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { percentile } from '../../bench/statistics.ts'
import { type Caller, createCaller, requestText } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { startCountingUpstream } from '../counting-upstream.ts'
import { createSeeded, type Seeded } from '../seeded.ts'
import { doAll } from '../workers.ts'

/** New names in every place that could become a label. */
export const run: ChaosRun = {
  name: 'cardinality',
  title: 'many made-up tenants and paths: few metrics, fast scrapes',
  // On a busy machine every scrape is slow, so the short form allows more time.
  short: { requests: 6000, tenants: 1000, scrapeMs: 1000, workers: 32 },
  full: { requests: 1_000_000, tenants: 100_000, scrapeMs: 50, workers: 48 },
  run: flood,
}

const PATIENCE_MS = 30_000
const MAX_SERIES = 2000
const SCRAPES = 11

async function flood(context: ChaosContext): Promise<readonly Figure[]> {
  const upstream = await startCountingUpstream({ keepsCounts: false })
  const gateway = await startGatewayProcess({
    folder: context.folder,
    config: { gateway: { llm: { max_sse_connections_per_tenant: 2 } }, routes: routesTo(upstream.url) },
  }).catch((error) => {
    upstream.close()
    throw error
  })
  try {
    const sent = await sendAll(context, gateway)
    const scrapes = await scrapeSome(gateway)
    return figuresOf(context, { ...sent, ...scrapes })
  } finally {
    await gateway.stop()
    upstream.close()
  }
}

function routesTo(target: string) {
  const route = (method: string, kind: string) => ({
    id: `${method} ${kind}`,
    method,
    path: `/${kind}/{id}`,
    target,
    executionTimeoutSeconds: 20,
    ...(kind === 'events' && { mode: 'sse' }),
  })
  return [...ROUTES.map(([method, kind]) => route(method, kind))]
}

const ROUTES = [
  ['GET', 'items'],
  ['POST', 'items'],
  ['PUT', 'items'],
  ['DELETE', 'items'],
  ['GET', 'questions'],
  ['POST', 'questions'],
  ['GET', 'events'],
] as const

interface Sent {
  readonly requests: number
  readonly unanswered: number
  /** The number of different tenants. */
  readonly tenants: number
}

async function sendAll(context: ChaosContext, { port }: GatewayProcess): Promise<Sent> {
  const seeded = createSeeded(context.seed)
  const [count, workers] = [scaled(context, 'requests'), scaled(context, 'workers')]
  const callers = Array.from({ length: workers }, () => createCaller({ port, patienceMs: PATIENCE_MS }))
  const tenants = new Set<string>()
  let unanswered = 0
  const progress = (done: number) => context.tell(`cardinality: ${done} of ${count}`)
  const requests = await doAll(
    { count, workers, signal: context.signal, progress },
    async (_index, worker) => {
      const { tenant, text } = hostileRequest(seeded, scaled(context, 'tenants'))
      tenants.add(tenant)
      const ending = await (callers[worker] as Caller).ask(text)
      if (ending.type !== 'answer') unanswered += 1
    },
  )
  for (const caller of callers) caller.close()
  return { requests, unanswered, tenants: tenants.size }
}

function hostileRequest(seeded: Seeded, tenantCount: number): { tenant: string; text: string } {
  const tenant = hostileTenant(seeded, tenantCount)
  const [method, kind] = seeded.pick(ROUTES)
  // Both ids are as new as the path; neither may become a label.
  const id = hostileName(seeded)
  const path = seeded.chance(0.5) ? `/${kind}/${id}` : `/${id}/${hostileName(seeded)}`
  const stream = kind === 'events' && { Accept: 'text/event-stream' }
  const common = { [headers.tenantId]: tenant, [headers.requestId]: id, ...stream }
  const text = requestText({
    method: seeded.chance(0.95) ? method : 'PATCH',
    path,
    headers: common,
    ...(method !== 'GET' && { body: '{}' }),
  })
  return { tenant, text }
}

const hostileName = (seeded: Seeded) =>
  `${seeded.pick(['n', '__proto__', 'constructor', 'a.b'])}${seeded.below(1e9)}`

/** Most are valid tenant names and pass a route that allows any tenant; the others must be refused. */
function hostileTenant(seeded: Seeded, count: number): string {
  const number = seeded.below(count)
  if (seeded.chance(0.85)) return `t${number}`
  return seeded.pick([
    `__proto__${number}`,
    `a b${number}`,
    `${'x'.repeat(70)}${number}`,
    `"} 1\\n${number}`,
    `{tenant="${number}"}`,
    `other${number}`,
  ])
}

interface Scrapes {
  readonly largest: { readonly name: string; readonly series: number }
  readonly answered: number
  readonly medianMs: number
}

async function scrapeSome({ port }: GatewayProcess): Promise<Scrapes> {
  const caller = createCaller({ port, patienceMs: PATIENCE_MS })
  const times: number[] = []
  const texts: string[] = []
  for (let count = 0; count < SCRAPES; count += 1) {
    const ending = await caller.ask(requestText({ path: '/metrics' }))
    if (ending.type !== 'answer' || ending.answer.status !== outcomes.success.status) continue
    times.push(ending.ms)
    texts.push(ending.answer.body)
  }
  caller.close()
  const sorted = times.toSorted((first, second) => first - second)
  const [largest = largestMetric('')] = texts
    .map(largestMetric)
    .toSorted((first, second) => second.series - first.series)
  return { largest, answered: texts.length, medianMs: percentile(sorted, 50) }
}

/** The metric with the most series; the parts of a histogram count for it. */
function largestMetric(scrape: string): Scrapes['largest'] {
  const counts = new Map<string, number>()
  let current = ''
  for (const line of scrape.split('\n')) {
    const [, name] = /^# TYPE (\S+)/.exec(line) ?? []
    if (name !== undefined) current = name
    else if (line !== '' && !line.startsWith('#')) counts.set(current, (counts.get(current) ?? 0) + 1)
  }
  const [[name, series] = ['', Number.NaN]] = [...counts].toSorted(([, first], [, second]) => second - first)
  return { name, series }
}

function figuresOf(
  context: ChaosContext,
  { requests, unanswered, tenants, largest, answered, medianMs }: Sent & Scrapes,
): Figure[] {
  return [
    { name: 'requests', measured: requests, limit: scaled(context, 'requests'), kind: 'exactly' },
    { name: 'tenants', measured: tenants, limit: scaled(context, 'tenants'), kind: 'at least' },
    { name: 'requests without an answer', measured: unanswered, limit: 0, kind: 'exactly' },
    {
      name: `series of ${largest.name}, the most`,
      measured: largest.series,
      limit: MAX_SERIES,
      kind: 'at most',
    },
    // Fewer series would show that the new names never reached the metrics.
    { name: 'series that it came to', measured: largest.series, limit: MAX_SERIES / 2, kind: 'at least' },
    { name: 'scrapes answered', measured: answered, limit: SCRAPES, kind: 'exactly' },
    {
      name: 'a scrape, median',
      measured: medianMs,
      unit: 'ms',
      limit: scaled(context, 'scrapeMs'),
      kind: 'at most',
    },
  ]
}
