import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { WebhookOptions } from '../../../src/config/config-schema.ts'
import { tenantInjector } from '../../../src/plugins/tenant-injector/tenant-injector.ts'
import {
  answering,
  holding,
  type LookupServer,
  startLookupServer,
  type Treatment,
  webhookAt,
} from '../lookup-server.ts'
import { makeContext, makeExchange, makeIdentity, type TestContext } from '../make-exchange.ts'

/** Every principal is in the tenant `t-<principal>`. */
const ownTenant: Treatment = (request, response) =>
  answering(200, { tenant_id: `t-${request.url?.slice(1)}` })(request, response)

let context: TestContext
let directory: LookupServer
beforeEach(async () => {
  context = makeContext()
  directory = await startLookupServer(ownTenant)
})
afterEach(async () => {
  vi.useRealTimers()
  await context.close()
  await directory.close()
})

const injector = (overrides: Partial<WebhookOptions> = {}) => {
  const webhook = webhookAt(`${directory.origin}/{principal}`, overrides)
  return tenantInjector({ claim: 'tenant_id', trust_header: 'service_accounts', webhook }, context)
}

const from = (subject: string) => makeExchange({ identity: makeIdentity({ subject }) })

async function ask(plugin: ReturnType<typeof tenantInjector>, subject = 'alice') {
  const exchange = from(subject)
  const refused = await plugin.request(exchange)
  return exchange.tenantId ?? (refused !== undefined && 'code' in refused ? refused.code : 'none')
}

test('a kept answer is given without a promise', async () => {
  const plugin = injector()
  await ask(plugin)
  const exchange = from('alice')
  expect(plugin.request(exchange)).toBeUndefined()
  expect(exchange.tenantId).toBe('t-alice')
  expect(directory.calls).toHaveLength(1)
})

test('a kept refusal is given without a promise', async () => {
  const plugin = injector()
  directory.treat(answering(404))
  await ask(plugin)
  expect(plugin.request(from('alice'))).toMatchObject({ type: 'forbidden', code: 'TENANT_UNKNOWN' })
})

describe('how long answers are kept', () => {
  // Sockets and timers stay real: only the clock of the cache is moved.
  const fakeTime = () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] })
    vi.advanceTimersByTime(1)
  }

  test.each([
    ['tenants', answering(200, { tenant_id: 'acme' }), 'acme', 300_000],
    ['an unknown principal', answering(404), 'TENANT_UNKNOWN', 30_000],
    ['a principal without tenants', answering(200, { tenants: [] }), 'TENANT_REQUIRED', 30_000],
  ])('%s', async (_title, treatment, expected, keptMs) => {
    fakeTime()
    const plugin = injector()
    directory.treat(treatment)
    expect(await ask(plugin)).toBe(expected)
    directory.treat(answering(200, { tenant_id: 'changed' }))
    vi.advanceTimersByTime(keptMs)
    expect(await ask(plugin)).toBe(expected)
    expect(directory.calls).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(await ask(plugin)).toBe('changed')
    expect(directory.calls).toHaveLength(2)
  })

  test('as configured, each on its own', async () => {
    fakeTime()
    const plugin = injector({ cache_ttl_seconds: 2, negative_ttl_seconds: 5 })
    await ask(plugin, 'alice')
    directory.treat(answering(404))
    await ask(plugin, 'bob')
    vi.advanceTimersByTime(2_001)
    expect(await ask(plugin, 'alice')).toBe('TENANT_UNKNOWN')
    expect(await ask(plugin, 'bob')).toBe('TENANT_UNKNOWN')
    expect(directory.calls).toEqual(['/alice', '/bob', '/alice'])
  })

  test('0 seconds: not at all', async () => {
    const plugin = injector({ cache_ttl_seconds: 0, negative_ttl_seconds: 0 })
    await ask(plugin)
    await ask(plugin)
    directory.treat(answering(404))
    await ask(plugin)
    await ask(plugin)
    expect(directory.calls).toHaveLength(4)
  })
})

test('no more answers are kept than configured, and the ones in use stay', async () => {
  const plugin = injector({ cache_max_entries: 2 })
  for (const subject of ['alice', 'bob', 'alice', 'carol', 'alice', 'dave', 'alice'])
    await ask(plugin, subject)
  expect(directory.calls).toEqual(['/alice', '/bob', '/carol', '/dave'])
  await ask(plugin, 'bob')
  expect(directory.calls).toHaveLength(5)
})

test('100 requests of one principal at a time are one call', async () => {
  const plugin = injector()
  const { treatment, release } = holding()
  directory.treat(treatment)
  const waiting = Array.from({ length: 100 }, () => ask(plugin))
  await directory.called(1)
  release(ownTenant)
  expect(await Promise.all(waiting)).toEqual(Array(100).fill('t-alice'))
  expect(directory.calls).toEqual(['/alice'])
})

test('a request that goes away leaves the others their call', async () => {
  const plugin = injector()
  const { treatment, release } = holding()
  directory.treat(treatment)
  const exchanges = Array.from({ length: 10 }, () => from('alice'))
  const waiting = exchanges.map((exchange) => plugin.request(exchange))
  await directory.called(1)
  // The request that caused the call is among the cancelled ones.
  for (const exchange of exchanges.slice(0, 9)) exchange.signal.cancel('client_disconnect')
  release(ownTenant)
  await Promise.all(waiting)
  expect(exchanges[9]?.tenantId).toBe('t-alice')
  expect(directory.calls).toHaveLength(1)
  expect(plugin.request(from('alice'))).toBeUndefined()
})

test('waiting requests that name different tenants are each judged by their own header', async () => {
  const plugin = injector()
  const { treatment, release } = holding()
  directory.treat(treatment)
  const exchanges = ['acme', 'globex', 'initech', undefined].map((tenant) =>
    makeExchange({
      identity: makeIdentity(),
      headers: tenant === undefined ? {} : { 'x-tenant-id': tenant },
    }),
  )
  const waiting = exchanges.map((exchange) => plugin.request(exchange))
  await directory.called(1)
  release(answering(200, { tenants: ['acme', 'globex'] }))
  const results = await Promise.all(waiting)
  expect(exchanges.map(({ tenantId }) => tenantId)).toEqual(['acme', 'globex', undefined, undefined])
  expect(results.map((result) => result && 'code' in result && result.code)).toEqual([
    undefined,
    undefined,
    'TENANT_MISMATCH',
    'TENANT_REQUIRED',
  ])
})

test('two plugins share nothing', async () => {
  const first = injector()
  await ask(first)
  directory.treat(answering(200, { tenant_id: 'changed' }))
  expect(await ask(injector())).toBe('changed')
  expect(await ask(first)).toBe('t-alice')
})
