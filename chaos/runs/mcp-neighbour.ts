import { conditions, headers } from '@agentic-rest/profile'
import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { requestText } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { startNoisyTenant } from '../load/noisy-tenant.ts'
import { createPacedLoad, type PacedLoad } from '../load/paced-load.ts'
import { type QuietSamples, quietFigures, quietLoad } from '../load/quiet-tenant.ts'
import { startSlowService } from '../load/slow-service.ts'

/** Callers of one tenant send MCP messages that are too large; another tenant does not notice. */
export const run: ChaosRun = {
  name: 'mcp-neighbour',
  title: 'four callers send MCP messages of 8.5 MB: another tenant is served as if it were alone',
  // Without a limit for the ratio: the times of the short form are those of the machine.
  short: { seconds: 1, rounds: 1, perSecond: 40, callers: 4, bytes: 8_500_000, ratio: 0, bounded: 1 },
  // The full form needs a machine without other load.
  full: { seconds: 10, rounds: 3, perSecond: 50, callers: 4, bytes: 8_500_000, ratio: 1.5, bounded: 1 },
  run: mcpNeighbour,
}

const WORK_MS = 20
const PATIENCE_MS = 60_000
const CLIENTS = 10
/** A refused caller sends its next message soon: it does not read what it is told. */
const PAUSE_MS = 100
const SAMPLE_MS = 50
const MOST_GROWTH_MB = 100
const MEGABYTE = 1_000_000
const QUIET = requestText({ path: '/quiet', headers: { [headers.tenantId]: 'quiet' } })

interface Measured extends QuietSamples {
  /** In bytes, during the noise. */
  readonly growth: number[]
  readonly refusals: number[]
}

async function mcpNeighbour(context: ChaosContext): Promise<readonly Figure[]> {
  const service = await startSlowService(WORK_MS)
  const gateway = await startBounded(context, service.url).catch(async (error) => {
    await service.close()
    throw error
  })
  const { port } = gateway
  const perSecond = scaled(context, 'perSecond')
  const request = () => QUIET
  const load = createPacedLoad({ port, patienceMs: PATIENCE_MS, clients: CLIENTS, perSecond, request })
  const measured: Measured = { alone: [], beside: [], growth: [], refusals: [] }
  try {
    // The first moments open the connections and warm the gateway up; they are not measured.
    await quietLoad(context, load)
    // In turn, so that a slow moment of the machine affects both.
    for (let round = 0; round < scaled(context, 'rounds') && !context.signal.aborted; round += 1) {
      measured.alone.push(...(await quietLoad(context, load)))
      await measureNoise(context, { gateway, load, measured, round })
    }
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

async function measureNoise(context: ChaosContext, { gateway, load, measured, round }: Round): Promise<void> {
  const before = gateway.rss()
  const sampling = setInterval(() => measured.growth.push(gateway.rss() - before), SAMPLE_MS)
  try {
    const noisy = await startNoisyTenant({
      port: gateway.port,
      callers: scaled(context, 'callers'),
      requests: [message(context)],
      pauseMs: PAUSE_MS,
      seed: context.seed + round,
    })
    measured.beside.push(...(await quietLoad(context, load)))
    const { served, others } = await noisy.stop()
    measured.refusals.push(others[`${conditions.too_large} BODY_TOO_LARGE`] ?? 0)
    context.tell(`mcp-neighbour: round ${round + 1}, ${JSON.stringify({ served, ...others })}`)
  } finally {
    clearInterval(sampling)
  }
}

/** A call of a tool with a text full of escapes; `bounded` 0 sends it to the route of the tool, which reads it whole. */
function message(context: ChaosContext): string {
  const params = { name: 'note', arguments: { text: '\n'.repeat(scaled(context, 'bytes') / 2) } }
  const path = scaled(context, 'bounded') === 1 ? '/mcp' : '/notes'
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return requestText({ method: 'POST', path, headers: { [headers.tenantId]: 'noisy' }, body })
}

/** A gateway with a tool and a rule for all bodies; only its limit for messages differs from that for other bodies. */
async function startBounded(context: ChaosContext, target: string): Promise<GatewayProcess> {
  const most = 2 * scaled(context, 'bytes')
  const mcp = { input: 'none', description: 'Writes a note' }
  return await startGatewayProcess({
    folder: context.folder,
    config: {
      gateway: { limits: { max_body_bytes: most, max_buffered_bytes_per_tenant: 16 * most } },
      plugins: { 'prompt-sanitize': { max_body_bytes: most, rules: [{ name: 'email', builtin: 'email' }] } },
      mcp: {},
      routes: [
        { id: 'quiet', method: 'GET', path: '/quiet', target },
        { id: 'note', method: 'POST', path: '/notes', target, mcp },
      ],
    },
  })
}

function figuresOf(context: ChaosContext, { growth, refusals, ...quiet }: Measured): Figure[] {
  return [
    ...quietFigures(context, quiet),
    {
      name: 'memory, growth',
      measured: Math.max(0, ...growth) / MEGABYTE,
      unit: 'MB',
      limit: MOST_GROWTH_MB,
      kind: 'at most',
    },
    {
      name: 'messages refused for their size in each round',
      measured: Math.min(...refusals),
      limit: 1,
      kind: 'at least',
    },
  ]
}
