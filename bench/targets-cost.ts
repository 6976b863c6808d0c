import { readConfig } from '@agentic-rest/testing/read-config'
import type { GatewayConfig } from '../packages/gateway/src/config/config-schema.ts'
import type { Exchange } from '../packages/gateway/src/exchange.ts'
import { createMetrics } from '../packages/gateway/src/metrics/metrics.ts'
import { forward } from '../packages/gateway/src/upstream/forward.ts'
import { createUpstreamPools, type UpstreamPools } from '../packages/gateway/src/upstream/pools.ts'
import { createShared } from '../packages/gateway/src/upstream/shared-resources.ts'
import { createSharedGroups } from '../packages/gateway/src/upstream/targets/create-group.ts'
import type { UpstreamPool } from '../packages/gateway/src/upstream/upstream-pool.ts'
import { makeContext, makeExchange } from '../packages/gateway/test/plugins/make-exchange.ts'
import type { AnswerHandler } from '../packages/http1/src/client/connection.ts'

// Measures the CPU time of the upstream step for one target and for an upstream of two, without sockets: choice, counts,
// budget, permits and the judgement of the answer. `node --conditions=agentic-source bench/targets-cost.ts`

const ROUNDS = 9
const REQUESTS = 100_000
const TARGETS = ['http://127.0.0.1:8081', 'http://127.0.0.1:8181']

const metrics = createMetrics({
  version: '0',
  load: { inFlight: 0, bufferedBytes: 0 },
  upstreams: () => [],
  targets: () => [],
  streamLimit: () => ({ limit: 10, scope: 'local' }),
  budgets: () => [],
  elicitations: () => 0,
  sessions: () => ({}),
})
const { log } = makeContext()
const world = {
  pools: createShared<UpstreamPool>(),
  sharedGroups: createSharedGroups(),
  metrics,
  log,
}
const head = { status: 200, rawHeaders: ['content-type', 'application/json'] }

/** Answers at once, without a socket. */
function send(_request: unknown, handler: AnswerHandler) {
  queueMicrotask(() => {
    handler.onHead(head as never)
    handler.onComplete()
  })
}

function answerAtOnce({ connections }: UpstreamPool): void {
  Object.assign(connections, { send })
}

function configFor(route: object): GatewayConfig {
  return readConfig({
    upstreams: { two: { targets: TARGETS } },
    routes: [{ id: 'read', method: 'GET', path: '/r', ...route }],
  })
}

async function callWith(pools: UpstreamPools, config: GatewayConfig, exchange: Exchange): Promise<void> {
  const [route] = config.routes
  if (route === undefined) throw new Error('there is no route')
  const destination = pools.get(route)
  const clientPath = (): [string] => ['127.0.0.1']
  const options = { destination, traceparent: '', signer: undefined, clientPath, log }
  const forwarded = await forward(exchange, route, options)
  if ('refused' in forwarded) throw new Error('a request was refused')
}

async function microseconds(pools: UpstreamPools, config: GatewayConfig): Promise<number> {
  const exchange = makeExchange({ method: 'GET', tenantId: 'acme' })
  const start = process.cpuUsage()
  for (let index = 0; index < REQUESTS; index += 1) await callWith(pools, config, exchange)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / REQUESTS
}

const configs = [configFor({ target: TARGETS[0] }), configFor({ upstream: 'two' })]
const cases = configs.map((config) => ({ config, pools: createUpstreamPools(config, world) }))
for (const pool of world.pools.all) answerAtOnce(pool)
for (const { pool } of world.sharedGroups.targets.all) answerAtOnce(pool)
const rounds: number[][] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const times: number[] = []
  for (const { pools, config } of cases) times.push(await microseconds(pools, config))
  rounds.push(times)
}
for (const [index, name] of ['one target', 'an upstream of two'].entries()) {
  const sorted = rounds.map((round) => round[index] ?? 0).toSorted((first, second) => first - second)
  const median = sorted[Math.floor(ROUNDS / 2)] ?? 0
  process.stdout.write(`${name}: ${median.toFixed(2)} µs a request (median of ${ROUNDS} rounds)\n`)
}
await Promise.all(cases.map(({ pools }) => pools.close()))
metrics.close()
