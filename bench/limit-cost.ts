import { readConfig } from '@agentic-rest/testing/read-config'
import type { Exchange } from '../packages/gateway/src/exchange.ts'
import { createMemoryStore } from '../packages/gateway/src/limits/policies/memory-store.ts'
import { UsageLedger } from '../packages/gateway/src/limits/usage/usage-ledger.ts'
import { createMetrics } from '../packages/gateway/src/metrics/metrics.ts'
import { rateLimits } from '../packages/gateway/src/plugins/rate-limits/rate-limits.ts'

// Measures the CPU time that limits in memory add to a request: decision, headers, metrics and the ledger of tenants.
// `node --conditions=agentic-source bench/limit-cost.ts`

const ROUNDS = 7
const REQUESTS = 300_000
const TENANTS = 1000

const rate = { requests: 1_000_000_000, per_seconds: 86_400, burst: 500_000_000 }
const policies = [
  { name: 'per-tenant', key: ['tenant'], ...rate },
  { name: 'per-actor', key: ['tenant', 'subject'], ...rate },
]
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
const issuers = [{ issuer: 'https://id.example.test', audience: ['agentic'] }]

function stepWith(count: number) {
  const { gateway } = readConfig({
    gateway: { rate_limits: policies.slice(0, count) },
    plugins: { 'token-validator': { issuers } },
    routes: [],
  })
  const limits = { store: createMemoryStore(), ledger: new UsageLedger() }
  return rateLimits(gateway, { limits, metrics })
}

// Only the fields that the step reads.
const exchanges = Array.from({ length: TENANTS }, (_, index) => ({
  tenantId: `tenant-${index}`,
  identity: { issuer: 'https://id.example.test', subject: `person-${index}` },
  route: { id: 'create-optimization' },
  limitHeaders: [],
})) as unknown as Exchange[]

function microseconds(step: ReturnType<typeof stepWith>): number {
  const start = process.cpuUsage()
  for (let index = 0; index < REQUESTS; index += 1) {
    const exchange = exchanges[index % TENANTS] as Exchange
    if (step.request(exchange) !== undefined) throw new Error('a limit refused')
    step.response?.(exchange)
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / REQUESTS
}

const steps = [0, 1, 2].map(stepWith)
const rounds = Array.from({ length: ROUNDS }, () => steps.map(microseconds))
for (const [count] of steps.entries()) {
  const sorted = rounds.map((round) => round[count] ?? 0).toSorted((first, second) => first - second)
  const median = sorted[Math.floor(ROUNDS / 2)] ?? 0
  process.stdout.write(`${count} policies: ${median.toFixed(2)} µs a request (median of ${ROUNDS} rounds)\n`)
}
metrics.close()
