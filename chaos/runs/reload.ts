import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { headers } from '@agentic-rest/profile'
import { configText } from '@agentic-rest/testing/config-text'
import { freePort } from '@agentic-rest/testing/free-port'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { corpusEnvironment } from '../../packages/gateway/test/config/corpus-environment.ts'
import { createCaller, requestText } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { createOpenLoad, isOverload, isServed, type LoadSample } from '../load/open-load.ts'
import { type SlowService, startSlowService } from '../load/slow-service.ts'
import { until } from '../until.ts'

/** Reloads under load. */
export const run: ChaosRun = {
  name: 'reload',
  title: 'reloads under load with good and bad files: no request fails, the last good file stays in use',
  // With `dead` the last file has a missing service, and requests must fail.
  short: { reloads: 6, badFiles: 4, perSecond: 100, turnedAwayPercent: 90, dead: 0 },
  full: { reloads: 100, badFiles: 1000, perSecond: 300, turnedAwayPercent: 1, dead: 0 },
  run: reload,
}

const WORK_MS = 5
const PATIENCE_MS = 15_000
const BAD_FILES = join(import.meta.dirname, '../../packages/gateway/test/config/bad')
/** The minimum number of bad files in the corpus. */
const CORPUS = 60

type Services = readonly [SlowService, SlowService]

async function reload(context: ChaosContext): Promise<readonly Figure[]> {
  const services: Services = [await startSlowService(WORK_MS, 'one'), await startSlowService(WORK_MS, 'two')]
  const closeServices = () => Promise.all(services.map((service) => service.close()))
  const port = await freePort()
  const gateway = await startGatewayProcess({
    folder: context.folder,
    config: configTo(services[0].url, port),
    // Without these variables, bad files would fail for a missing variable only.
    env: corpusEnvironment,
  }).catch(async (error) => {
    await closeServices()
    throw error
  })
  try {
    return await reloadUnderLoad(context, { gateway, services })
  } finally {
    await gateway.stop()
    await closeServices()
  }
}

function configTo(target: string, port: number) {
  const route = { id: 'r', method: 'GET', path: '/r', target, executionTimeoutSeconds: 10 }
  return { gateway: { port }, routes: [route] }
}

interface World {
  readonly gateway: GatewayProcess
  readonly services: Services
}

const request = () => requestText({ path: '/r', headers: { [headers.tenantId]: 'acme' } })

async function reloadUnderLoad(context: ChaosContext, world: World): Promise<Figure[]> {
  const { port } = world.gateway
  const over = new AbortController()
  const load = createOpenLoad({ port, patienceMs: PATIENCE_MS, request })
  const signal = AbortSignal.any([over.signal, context.signal])
  const perSecond = scaled(context, 'perSecond')
  const running = load.run({ perSecond, ms: Number.POSITIVE_INFINITY, signal })
  try {
    const stale = await applyGood(context, world)
    const bad = await applyBad(context, world)
    if (scaled(context, 'dead') > 0) await reloadTo(world.gateway, configTo('http://127.0.0.1:1', port))
    const lasting = await ask(world.gateway)
    over.abort()
    const samples = await running
    tellFailures(context, samples)
    return figuresOf(context, { samples, stale, bad, lasting, scrape: await world.gateway.metrics() })
  } finally {
    over.abort()
    await running
    load.close()
  }
}

/** Switches between two services by reloads. Returns the number of answers of the old service after a reload. */
async function applyGood(context: ChaosContext, { gateway, services }: World): Promise<number> {
  const count = scaled(context, 'reloads')
  let stale = 0
  for (let index = 1; index <= count && !context.signal.aborted; index += 1) {
    const [service, name] = index % 2 === 0 ? [services[0], 'one'] : [services[1], 'two']
    await reloadTo(gateway, configTo(service.url, gateway.port))
    if ((await ask(gateway)) !== name) stale += 1
    if (index % 20 === 0) context.tell(`reload: ${index} of ${count} reloads`)
  }
  return stale
}

/** Replaces the good file by bad ones. */
async function applyBad(context: ChaosContext, { gateway }: World): Promise<{ files: number; lost: number }> {
  const files = readdirSync(BAD_FILES)
    .filter((name) => name.endsWith('.yaml'))
    .slice(0, scaled(context, 'badFiles'))
  const before = await ask(gateway)
  let lost = 0
  for (const file of files) {
    copyFileSync(join(BAD_FILES, file), gateway.configFile)
    await untilReloaded(gateway, 'refused')
    if ((await ask(gateway)) !== before) lost += 1
  }
  context.tell(`reload: ${files.length} bad files`)
  return { files: files.length, lost }
}

async function reloadTo(gateway: GatewayProcess, config: ReturnType<typeof configTo>): Promise<void> {
  writeFileSync(gateway.configFile, configText(config))
  await untilReloaded(gateway, 'applied')
}

/** Signals a reload and waits for its result in the metrics. */
async function untilReloaded(gateway: GatewayProcess, result: 'applied' | 'refused'): Promise<void> {
  // On a busy machine a scrape may fail; the next one is enough.
  const scrape = () => gateway.metrics().catch(() => '')
  const count = async () => metricValue(await scrape(), 'agentic_config_reloads_total', { result })
  const before = await count()
  gateway.kill('SIGHUP')
  const after = await until(count, (value) => value > before, PATIENCE_MS)
  if (after <= before) throw new Error(`no reload was ${result} in time:\n${gateway.errors()}`)
}

/** The name of the answering service. */
async function ask({ port }: GatewayProcess): Promise<string | undefined> {
  const caller = createCaller({ port, patienceMs: PATIENCE_MS })
  const ending = await caller.ask(request())
  caller.close()
  return isServed(ending) && ending.type === 'answer'
    ? (JSON.parse(ending.answer.body) as { from: string }).from
    : undefined
}

/** A gateway that does not run for a quarter of a second refuses requests as overloaded; other refusals are failures. */
const hasFailed = ({ ending }: LoadSample) => !isServed(ending) && !isOverload(ending)

function tellFailures({ tell }: ChaosContext, samples: readonly LoadSample[]): void {
  const failures = samples.filter(hasFailed)
  for (const { sentAt, ending } of failures.slice(0, 5))
    tell(`reload: failed after ${Math.round(sentAt)} ms: ${JSON.stringify(ending).slice(0, 400)}`)
}

interface Measured {
  readonly samples: readonly LoadSample[]
  readonly stale: number
  readonly bad: { readonly files: number; readonly lost: number }
  readonly lasting: string | undefined
  readonly scrape: string
}

function figuresOf(context: ChaosContext, { samples, stale, bad, lasting, scrape }: Measured): Figure[] {
  const count = (result: string) => metricValue(scrape, 'agentic_config_reloads_total', { result })
  const [reloads, badFiles] = [scaled(context, 'reloads'), scaled(context, 'badFiles')]
  const none = { limit: 0, kind: 'exactly' } as const
  const turnedAway = samples.filter(({ ending }) => isOverload(ending)).length
  return [
    { name: 'reloads', measured: count('applied'), limit: reloads, kind: 'at least' },
    { name: 'bad files', measured: bad.files, limit: Math.min(badFiles, CORPUS), kind: 'at least' },
    { name: 'bad files refused', measured: count('refused'), limit: bad.files, kind: 'exactly' },
    { name: 'requests meanwhile', measured: samples.length, limit: reloads, kind: 'at least' },
    { name: 'requests that failed', measured: samples.filter(hasFailed).length, ...none },
    {
      name: 'turned away for overload, of all requests',
      measured: (turnedAway / samples.length) * 100,
      unit: '%',
      limit: scaled(context, 'turnedAwayPercent'),
      kind: 'at most',
    },
    { name: 'answers of an old configuration after a reload', measured: stale, ...none },
    { name: 'bad files after which another configuration was in use', measured: bad.lost, ...none },
    { name: 'the last good file serves', measured: lasting === undefined ? 0 : 1, limit: 1, kind: 'exactly' },
  ]
}
