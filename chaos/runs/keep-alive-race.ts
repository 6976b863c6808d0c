import { setTimeout as wait } from 'node:timers/promises'
import { headers, readOutcome } from '@agentic-rest/profile'
import { startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { type Caller, createCaller, type Ending, requestText } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { startImpatientUpstream } from '../impatient-upstream.ts'
import { createSeeded, type Seeded } from '../seeded.ts'
import { doAll } from '../workers.ts'

/** Requests at the moment when the service closes the connection. */
export const run: ChaosRun = {
  name: 'keep-alive-race',
  title: "requests at the idle edge of a service's connections: none fails, none is executed twice",
  // With `keyed` 0 a POST has no key and must not be repeated: its failures prove that the moment is met.
  short: { requests: 400, keyed: 1 },
  full: { requests: 5000, keyed: 1 },
  run: race,
}

const IDLE_MS = 12
const WORKERS = 8
const PATIENCE_MS = 10_000

async function race(context: ChaosContext): Promise<readonly Figure[]> {
  const upstream = await startImpatientUpstream(IDLE_MS)
  const gateway = await startGatewayProcess({
    folder: context.folder,
    config: {
      routes: ['GET', 'POST'].map((method) => ({ id: method, method, path: '/r', target: upstream.url })),
    },
  }).catch((error) => {
    upstream.close()
    throw error
  })
  try {
    const { requests, failed } = await sendAll(context, gateway.port)
    const counts = [...upstream.executed.values()]
    const none = { limit: 0, kind: 'exactly' } as const
    return [
      { name: 'requests', measured: requests, limit: scaled(context, 'requests'), kind: 'exactly' },
      {
        name: 'idle connections that the service dropped',
        measured: upstream.dropped,
        limit: requests / 20,
        kind: 'at least',
      },
      { name: 'visible failures', measured: failed, ...none },
      { name: 'executed twice', measured: counts.filter((count) => count > 1).length, ...none },
      { name: 'never executed', measured: requests - failed - upstream.executed.size, ...none },
    ]
  } finally {
    await gateway.stop()
    upstream.close()
  }
}

interface Sent {
  readonly requests: number
  readonly failed: number
}

/** Each worker pauses about as long as the idle time of the service. */
async function sendAll(context: ChaosContext, port: number): Promise<Sent> {
  const seeded = createSeeded(context.seed)
  const keyed = scaled(context, 'keyed') > 0
  const callers = Array.from({ length: WORKERS }, () => createCaller({ port, patienceMs: PATIENCE_MS }))
  let failed = 0
  const work = {
    count: scaled(context, 'requests'),
    workers: WORKERS,
    signal: context.signal,
    progress: (done: number) => context.tell(`keep-alive-race: ${done} requests, ${failed} failed`),
  }
  const requests = await doAll(work, async (index, worker) => {
    const id = `r-${index}`
    const ending = await (callers[worker] as Caller).ask(textOf(id, { seeded, keyed }))
    if (!isAnswerTo(id, ending)) {
      failed += 1
      if (failed <= 5) context.tell(`keep-alive-race: ${id} failed: ${JSON.stringify(ending)}`)
    }
    await wait(IDLE_MS - 4 + seeded.number() * 6)
  })
  for (const caller of callers) caller.close()
  return { requests, failed }
}

function textOf(id: string, { seeded, keyed }: { readonly seeded: Seeded; readonly keyed: boolean }): string {
  const common = { [headers.requestId]: id, [headers.tenantId]: 'acme' }
  if (seeded.chance(0.5)) return requestText({ path: '/r', headers: common })
  const key = keyed ? { [headers.idempotencyKey]: id } : {}
  return requestText({ method: 'POST', path: '/r', headers: { ...common, ...key }, body: '{}' })
}

function isAnswerTo(id: string, ending: Ending): boolean {
  if (ending.type !== 'answer') return false
  const reading = readOutcome<{ id?: string }>(ending.answer)
  return reading.ok && reading.outcome.type === 'success' && reading.outcome.body.id === id
}
