import { setTimeout as wait } from 'node:timers/promises'
import { outcomes } from '@agentic-rest/profile'
import { type Caller, createCaller } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { type FaultyWorld, startFaultyWorld } from '../faulty-world/faulty-world.ts'
import { plannedText, planRequest } from '../faulty-world/planned-request.ts'
import { addedFiles, openFiles } from '../open-files.ts'
import { createSeeded, type Seeded } from '../seeded.ts'
import { seriesSum } from '../series.ts'
import { type MemorySample, probeOptions, takeSample } from '../soak/memory-sample.ts'
import { until } from '../until.ts'
import { doAll } from '../workers.ts'

/** Mixed load for a long time. */
export const run: ChaosRun = {
  name: 'soak',
  title: 'mixed load with faults, forged tokens, aborts and reloads: no growth after warm-up',
  // Each reload empties the caches, so the size of maps varies; a leak would add an entry with each request. Growth in the
  // first seconds is warm-up, not a leak. With `leak` the run keeps connections open.
  short: {
    minutes: 0.05,
    warmUpMinutes: 0.02,
    heapMegabytes: 20,
    mapEntries: 1000,
    tenants: 50,
    letters: 200,
    workers: 24,
    leak: 0,
  },
  full: {
    minutes: 10,
    warmUpMinutes: 2,
    heapMegabytes: 4,
    mapEntries: 5000,
    // More than the metrics name.
    tenants: 5000,
    // From all of Unicode, to fill tables of characters.
    letters: 0xd000,
    workers: 32,
    leak: 0,
  },
  run: soak,
}

const MINUTE_MS = 60_000
const MEBIBYTE = 2 ** 20
const PATIENCE_MS = 40_000
const QUIET_MS = 30_000
const DEADLINE_SECONDS = 1
const FAULT_SHARE = 0.1
/** The time between reloads. */
const RELOAD_MS = 15_000
const SAMPLES = 10
/** The connection to the collector may be missing in the first sample. */
const OTHER_FILES = 1

/** A sample of an idle gateway. */
interface Rest {
  readonly sample: MemorySample
  readonly files: readonly string[]
}

async function soak(context: ChaosContext): Promise<readonly Figure[]> {
  const { folder, seed } = context
  const { file, nodeArguments, env } = probeOptions(folder)
  const longHangs = scaled(context, 'minutes') > 1
  const options = { deadlineSeconds: DEADLINE_SECONDS, share: FAULT_SHARE, longHangs }
  const world = await startFaultyWorld({ folder, seed, ...options, nodeArguments, env })
  const load = createMixedLoad(context, world)
  const taking = createSampler(world, { file, restMs: longHangs ? QUIET_MS : QUIET_MS / 10 })
  try {
    await load.run(scaled(context, 'warmUpMinutes') * MINUTE_MS)
    const before = await taking.atRest(0)
    // Each part ends when its hanging requests have ended.
    const parts = longHangs ? SAMPLES : 1
    const partMs = (scaled(context, 'minutes') * MINUTE_MS) / parts
    for (let part = 1; part <= parts && !context.signal.aborted; part += 1) {
      await load.run(partMs)
      if (partMs > MINUTE_MS / 4) tellOf(context, `part ${part}`, await taking.underLoad())
    }
    const after = await taking.atRest(before.files.length)
    tellOf(context, 'before', before.sample)
    tellOf(context, 'after', after.sample)
    const added = addedFiles(before.files, after.files)
    if (added.length > 0) context.tell(`soak: files that were not open before: ${added.join('; ')}`)
    return figuresOf(context, { before, after, ...load.counts(), scrape: await world.gateway.metrics() })
  } finally {
    load.close()
    await world.close()
  }
}

interface Counts {
  readonly sent: number
  /** Requests answered by a service as expected. */
  readonly served: number
  readonly loadMs: number
}

interface MixedLoad {
  run(ms: number): Promise<void>
  counts(): Counts
  close(): void
}

/** Requests of all kinds; each worker sends one after another. */
function createMixedLoad(context: ChaosContext, world: FaultyWorld): MixedLoad {
  const { port } = world.gateway
  const workers = scaled(context, 'workers')
  const seeded = createSeeded(context.seed)
  const callers = Array.from({ length: workers }, () => createCaller({ port, patienceMs: PATIENCE_MS }))
  const forgotten: Caller[] = []
  let sent = 0
  let [served, loadMs] = [0, 0]
  const reloading = setInterval(() => world.gateway.kill('SIGHUP'), RELOAD_MS)
  const variety = { tenants: scaled(context, 'tenants'), letters: scaled(context, 'letters') }
  const isLeaking = scaled(context, 'leak') > 0
  const task = async (_index: number, worker: number) => {
    sent += 1
    world.collector.spans.length = 0
    world.upstream.executed.clear()
    world.struck.clear()
    if (await sendOne(seeded, { world, caller: callers[worker] as Caller, index: sent, ...variety }))
      served += 1
    if (isLeaking && sent % 20 === 0) forgotten.push(await openAnother(port))
  }
  return {
    async run(ms) {
      const startedAt = performance.now()
      const until = startedAt + ms
      await doAll({ count: Number.MAX_SAFE_INTEGER, workers, signal: context.signal, until }, task)
      loadMs += performance.now() - startedAt
      for (const caller of callers) caller.close()
    },
    counts: () => ({ sent, served, loadMs }),
    close() {
      clearInterval(reloading)
      for (const caller of forgotten) caller.close()
    },
  }
}

/** A leaked connection. */
async function openAnother(port: number): Promise<Caller> {
  const caller = createCaller({ port, patienceMs: PATIENCE_MS })
  await caller.ask('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  return caller
}

interface Sending {
  readonly world: FaultyWorld
  readonly caller: Caller
  readonly index: number
  /** The number of different values. */
  readonly tenants: number
  readonly letters: number
}

/** Sends one request; true if a service answered it. */
async function sendOne(
  seeded: Seeded,
  { world, caller, index, tenants, letters }: Sending,
): Promise<boolean> {
  const planned = planRequest(seeded, index)
  // A hanging stream would block a worker for half a minute.
  const fault = planned.kind === 'events' && planned.fault?.hangs ? undefined : planned.fault
  const token = seeded.chance(0.05) ? 'forged' : planned.token
  // The directory has only one tenant.
  const tenant = token === 'person' ? planned.tenant : `tenant-${seeded.below(tenants)}`
  const body = JSON.stringify({ goal: 'ctr', prompt: promptOf(seeded, letters), tenant })
  const text = plannedText({ ...planned, fault, token, tenant, body }, world)
  if (seeded.chance(0.05)) {
    await caller.leave(text, seeded.below(20))
    return false
  }
  const ending = await caller.ask(text)
  return ending.type === 'answer' && USEFUL.has(ending.answer.status)
}

const USEFUL: ReadonlySet<number> = new Set([outcomes.success.status, outcomes.clarification_required.status])

function promptOf(seeded: Seeded, letters: number): string {
  const text = Array.from({ length: 20 }, () => String.fromCodePoint(0x20 + seeded.below(letters)))
  return `${text.join('')} to person-${seeded.below(1e6)}@example.com`
}

interface Sampler {
  underLoad(): Promise<MemorySample>
  /** A sample without requests in flight and with at most the given number of open files, if they close in time. */
  atRest(files: number): Promise<Rest>
}

function createSampler(
  { gateway, proxies, openings }: FaultyWorld,
  { file, restMs }: { readonly file: string; readonly restMs: number },
): Sampler {
  let count = 0
  const underLoad = async () => {
    const sample = await takeSample(gateway, file, count)
    count = sample.count
    return sample
  }
  return {
    underLoad,
    async atRest(wanted) {
      // Idle connections would close by themselves, but later.
      const addresses = openings.map(({ address }) => address)
      for (const each of [proxies.services, proxies.keys, proxies.directory, ...addresses]) each.cut()
      await until(
        async () => seriesSum(await gateway.metrics(), 'agentic_gateway_requests_in_flight'),
        (inFlight) => inFlight === 0,
        QUIET_MS,
      )
      const files = await settled(() => openFiles(gateway.pid), { wanted, withinMs: restMs })
      return { sample: await underLoad(), files }
    },
  }
}

const STEADY_MS = 1000

/** The open files once they are few enough or their number is stable. */
async function settled(
  ask: () => readonly string[],
  { wanted, withinMs }: { readonly wanted: number; readonly withinMs: number },
): Promise<readonly string[]> {
  const latest = performance.now() + withinMs
  for (let before = Number.NaN; performance.now() < latest; await wait(STEADY_MS)) {
    const files = ask()
    if (files.length <= wanted || (wanted === 0 && files.length === before)) return files
    before = files.length
  }
  return ask()
}

function tellOf({ tell }: ChaosContext, when: string, sample: MemorySample): void {
  const { heapBytes, externalBytes, handles, maps, sets } = sample
  const megabytes = (bytes: number) => (bytes / MEBIBYTE).toFixed(1)
  tell(
    `soak: ${when}: heap ${megabytes(heapBytes)} MB, external ${megabytes(externalBytes)} MB, ` +
      `maps ${JSON.stringify(maps)}, sets ${JSON.stringify(sets)}, handles ${JSON.stringify(handles)}`,
  )
}

interface Measured extends Counts {
  readonly before: Rest
  readonly after: Rest
  readonly scrape: string
}

const handleCount = ({ handles }: MemorySample) =>
  Object.entries(handles)
    .filter(([name]) => name !== 'Timeout' && name !== 'Immediate')
    .reduce((sum, [, count]) => sum + count, 0)

function figuresOf(
  context: ChaosContext,
  { before, after, sent, served, loadMs, scrape }: Measured,
): Figure[] {
  const grown = (of: (sample: MemorySample) => number) => Math.max(0, of(after.sample) - of(before.sample))
  const heapMegabytes = scaled(context, 'heapMegabytes')
  const entries = scaled(context, 'mapEntries')
  const gauge = (name: string): Figure => ({
    name,
    measured: seriesSum(scrape, name),
    limit: 0,
    kind: 'exactly',
  })
  const atMost = (name: string, measured: number, limit: number): Figure => ({
    name,
    measured,
    limit,
    kind: 'at most',
  })
  return [
    {
      name: 'time under load',
      measured: loadMs / MINUTE_MS,
      unit: 'minutes',
      limit: scaled(context, 'warmUpMinutes') + scaled(context, 'minutes'),
      kind: 'at least',
    },
    { name: 'requests', measured: sent, limit: 1, kind: 'at least' },
    // A load that is refused early proves little.
    { name: 'served of them', measured: (served / sent) * 100, unit: '%', limit: 50, kind: 'at least' },
    {
      ...atMost(
        'heap after collection, growth',
        grown(({ heapBytes }) => heapBytes) / MEBIBYTE,
        heapMegabytes,
      ),
      unit: 'MB',
    },
    {
      ...atMost('buffers, growth', grown(({ externalBytes }) => externalBytes) / MEBIBYTE, heapMegabytes),
      unit: 'MB',
    },
    atMost(
      'entries of all maps, growth',
      grown(({ maps }) => maps.entries),
      entries,
    ),
    atMost(
      'entries of all sets, growth',
      grown(({ sets }) => sets.entries),
      entries,
    ),
    atMost(
      'maps and sets, growth',
      grown(({ maps, sets }) => maps.count + sets.count),
      entries,
    ),
    atMost('handles, growth', grown(handleCount), OTHER_FILES),
    atMost('file descriptors, growth', Math.max(0, after.files.length - before.files.length), OTHER_FILES),
    gauge('agentic_gateway_requests_in_flight'),
    gauge('agentic_gateway_sse_connections_active'),
  ]
}
