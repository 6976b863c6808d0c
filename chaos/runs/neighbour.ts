import { headers } from '@agentic-rest/profile'
import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { requestText } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { type NoisyTally, nameOf, startNoisyTenant } from '../load/noisy-tenant.ts'
import { isServed } from '../load/open-load.ts'
import { createPacedLoad, type PacedLoad } from '../load/paced-load.ts'
import { type QuietSamples, quietFigures, quietLoad } from '../load/quiet-tenant.ts'
import { startSlowService } from '../load/slow-service.ts'

/** One tenant uses ten times its share; another does not notice. */
export const run: ChaosRun = {
  name: 'neighbour',
  title: 'one tenant asks for ten times its share: another is served as if it were alone',
  // Without a limit for the ratio: the times of the short form are those of the machine.
  short: { seconds: 1, rounds: 1, perSecond: 40, share: 10, ratio: 0, limited: 1 },
  // The full form needs a machine without other load.
  full: { seconds: 10, rounds: 3, perSecond: 50, share: 20, ratio: 1.5, limited: 1 },
  run: neighbour,
}

const WORK_MS = 20
const PATIENCE_MS = 60_000
/** The share of a tenant is a quarter of `max_in_flight`. */
const SHARES = 4
const NOISE = 10
/** As long as a refusal tells its client to wait. */
const PAUSE_MS = 1000
const LARGE_BYTES = 1_000_000

const quiet = { [headers.tenantId]: 'quiet' }
const small = JSON.stringify({ messages: [{ role: 'user', content: 'What is new? '.repeat(80) }] })
const requests = [
  requestText({ path: '/r', headers: quiet }),
  requestText({ method: 'POST', path: '/r', headers: quiet, body: small }),
] as const

const noisy = { [headers.tenantId]: 'noisy' }
const report = 'Please read this report of the last quarter and write a short summary for our customers. '
const large = JSON.stringify({
  messages: Array(LARGE_BYTES / 1000).fill({ role: 'user', content: report.repeat(11) }),
})
const noise = [
  requestText({ path: '/slow', headers: noisy }),
  requestText({ method: 'POST', path: '/large', headers: noisy, body: large }),
]

interface Measured extends QuietSamples {
  readonly tallies: NoisyTally[]
}

async function neighbour(context: ChaosContext): Promise<readonly Figure[]> {
  const service = await startSlowService(WORK_MS)
  const gateway = await startShared(context, service.url).catch(async (error) => {
    await service.close()
    throw error
  })
  const request = (index: number) => requests[index % 2] ?? requests[0]
  const load = createPacedLoad({
    port: gateway.port,
    patienceMs: PATIENCE_MS,
    // It stays within its own share, also when the machine is slow.
    clients: scaled(context, 'share') / 2,
    perSecond: scaled(context, 'perSecond'),
    request,
  })
  const measured: Measured = { alone: [], beside: [], tallies: [] }
  try {
    // The first moments open the connections and warm the gateway up; they are not measured.
    await quietLoad(context, load)
    // In turn, so that a slow moment of the machine affects both.
    for (let round = 0; round < scaled(context, 'rounds') && !context.signal.aborted; round += 1)
      await measureRound(context, { gateway, load, measured, round })
    return figuresOf(context, measured)
  } finally {
    load.close()
    await gateway.stop()
    await service.close()
  }
}

interface Round {
  readonly gateway: GatewayProcess
  readonly load: PacedLoad
  readonly measured: Measured
  readonly round: number
}

async function measureRound(context: ChaosContext, { gateway, load, measured, round }: Round): Promise<void> {
  measured.alone.push(...(await quietLoad(context, load)))
  const noisy = await startNoisyTenant({
    port: gateway.port,
    requests: noise,
    callers: scaled(context, 'share') * NOISE,
    pauseMs: PAUSE_MS,
    seed: context.seed + round,
  })
  // The noise starts the threads of the gateway and fills its share first.
  if (round === 0) await quietLoad(context, load)
  measured.beside.push(...(await quietLoad(context, load)))
  const tally = await noisy.stop()
  measured.tallies.push(tally)
  const unserved = measured.beside.flatMap(({ ending }) => (isServed(ending) ? [] : [nameOf(ending)]))
  context.tell(
    `neighbour: round ${round + 1}, ${JSON.stringify({ ...tally, unserved: unserved.slice(0, 5) })}`,
  )
}

/** The default shares of a gateway with small limits; `limited` 0 gives one tenant everything. */
async function startShared(context: ChaosContext, target: string): Promise<GatewayProcess> {
  const whole = scaled(context, 'share') * SHARES
  const limits = {
    max_in_flight: whole,
    max_upstream_connections_per_origin: whole / 2,
    max_upstream_queue_per_origin: whole / 2,
  }
  const unlimited = {
    max_in_flight_per_tenant: whole,
    max_upstream_connections_per_tenant: whole,
    max_upstream_queue_per_tenant: whole,
    max_buffered_bytes_per_tenant: 268_435_456,
  }
  const rules = [
    { name: 'email', builtin: 'email' },
    { name: 'card', builtin: 'credit_card' },
    { name: 'jailbreak', keywords: ['ignore previous instructions'], action: 'reject' },
    { name: 'ticket', regex: 'TCK-[0-9]{6}' },
  ]
  const route = (method: string, path: string) => ({ id: `${method} ${path}`, method, path, target })
  return await startGatewayProcess({
    folder: context.folder,
    config: {
      gateway: { limits: { ...limits, ...(scaled(context, 'limited') === 0 && unlimited) } },
      plugins: { 'prompt-sanitize': { rules } },
      routes: [route('GET', '/r'), route('POST', '/r'), route('GET', '/slow'), route('POST', '/large')],
    },
  })
}

function figuresOf(context: ChaosContext, { tallies, ...quiet }: Measured): Figure[] {
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((total, count) => total + count, 0)
  const total = (of: (tally: NoisyTally) => number) => tallies.reduce((all, tally) => all + of(tally), 0)
  return [
    ...quietFigures(context, quiet),
    { name: 'noisy requests served', measured: total(({ served }) => served), limit: 1, kind: 'at least' },
    {
      name: 'noisy requests above their share, refused by its name',
      measured: total(({ refused }) => sum(refused)),
      limit: 1,
      kind: 'at least',
    },
    {
      name: 'noisy requests that ended otherwise',
      measured: total(({ others }) => sum(others)),
      limit: 0,
      kind: 'exactly',
    },
  ]
}
