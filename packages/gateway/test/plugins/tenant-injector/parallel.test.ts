import { setTimeout as delay } from 'node:timers/promises'
import { seededRandom } from '@agentic-rest/testing/seeded-random'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Exchange } from '../../../src/exchange.ts'
import type { PipelinePlugin } from '../../../src/plugin.ts'
import { licenseCheck } from '../../../src/plugins/license-check/license-check.ts'
import { tenantInjector } from '../../../src/plugins/tenant-injector/tenant-injector.ts'
import { type LookupServer, startLookupServer, webhookAt } from '../lookup-server.ts'
import {
  makeContext,
  makeExchange,
  makeHeaders,
  makeIdentity,
  makeRoute,
  type TestContext,
} from '../make-exchange.ts'

const seed = Number(process.env['SEED'])
const random = seededRandom(seed)
const below = (limit: number) => Math.floor(random() * limit)

const PRINCIPALS = 40
const TENANTS = 12
const FEATURES = ['optimize', 'stream', 'op']
const REQUESTS = 3_000

/** The data of both servers: principal n is in two neighbouring tenants. */
const tenantsOf = (principal: number) => [`t-${principal % TENANTS}`, `t-${(principal + 1) % TENANTS}`]
const isLicensed = (tenant: string, feature: string) => (Number(tenant.slice(2)) + feature.length) % 3 !== 0

/** By count, not at random, so that both servers fail in each run. A lost connection alone is often retried. */
const isFaulty = ({ calls }: LookupServer) => calls.length % 10 === 0

let context: TestContext
let directory: LookupServer
let licences: LookupServer
beforeEach(async () => {
  context = makeContext()
  directory = await startLookupServer(async ({ url = '' }, response) => {
    const faulty = isFaulty(directory)
    // Wait: the server takes a random time, so that answers come out of order.
    await delay(below(8))
    if (faulty) response.writeHead(503).end()
    else if (below(10) === 0) response.socket?.destroy()
    else response.end(JSON.stringify({ tenants: tenantsOf(Number(url.slice(1))) }))
  })
  licences = await startLookupServer(async ({ url = '' }, response) => {
    const [, tenant = '', feature = ''] = url.split('/')
    const faulty = isFaulty(licences)
    // Wait: the server takes a random time, so that answers come out of order.
    await delay(below(8))
    if (faulty) response.writeHead(503).end()
    else response.writeHead(isLicensed(tenant, feature) ? 200 : 403).end()
  })
})
afterEach(async () => {
  await context.close()
  await directory.close()
  await licences.close()
})

test(`parallel requests of many tenants, some leaving, never get each other's answer (seed ${seed})`, async () => {
  // Few entries and short times, so that cache hits, evictions and expiries all happen.
  const bounds = { cache_max_entries: 10, timeout_ms: 10_000 }
  const injector = tenantInjector(
    {
      claim: 'tenant_id',
      trust_header: 'service_accounts',
      webhook: webhookAt(`${directory.origin}/{principal}`, bounds),
    },
    context,
  )
  const check = licenseCheck(
    { tenants: {}, webhook: webhookAt(`${licences.origin}/{tenant}/{feature}`, bounds) },
    context,
  )
  const seen = new Set<string>()
  const one = async () => {
    // Wait: requests come at random moments.
    await delay(below(150))
    seen.add(await sendOne(injector, check))
  }
  await Promise.all(Array.from({ length: REQUESTS }, one))
  expect(seen).toEqual(
    new Set([
      'LICENSE_REQUIRED',
      'LICENSE_UNAVAILABLE',
      'TENANT_LOOKUP_UNAVAILABLE',
      'TENANT_MISMATCH',
      'passed',
    ]),
  )
  expect(directory.calls.length).toBeLessThan(REQUESTS / 2)
})

/** Sends one random request through both plugins and compares the result with the data. */
async function sendOne(injector: PipelinePlugin, check: PipelinePlugin): Promise<string> {
  const principal = below(PRINCIPALS)
  const tenant = `t-${(principal + below(3)) % TENANTS}`
  const feature = FEATURES[below(FEATURES.length)] ?? ''
  const exchange = makeExchange({
    identity: makeIdentity({ subject: String(principal) }),
    headers: makeHeaders({ 'X-Tenant-ID': tenant }),
    route: makeRoute({ license: feature }),
  })
  // Wait: clients leave at random moments.
  if (below(4) === 0) setTimeout(() => exchange.signal.cancel('client_disconnect'), below(10))
  const refusedTenant = await codeOf(injector, exchange)
  if (refusedTenant === 'TENANT_LOOKUP_UNAVAILABLE') return refusedTenant
  expect(refusedTenant).toBe(tenantsOf(principal).includes(tenant) ? undefined : 'TENANT_MISMATCH')
  if (refusedTenant !== undefined) return refusedTenant
  expect(exchange.tenantId).toBe(tenant)
  const refusedLicence = await codeOf(check, exchange)
  if (refusedLicence === 'LICENSE_UNAVAILABLE') return refusedLicence
  expect(refusedLicence).toBe(isLicensed(tenant, feature) ? undefined : 'LICENSE_REQUIRED')
  return refusedLicence ?? 'passed'
}

async function codeOf(plugin: PipelinePlugin, exchange: Exchange): Promise<string | undefined> {
  const result = await plugin.request(exchange)
  return result !== undefined && 'code' in result ? result.code : undefined
}
