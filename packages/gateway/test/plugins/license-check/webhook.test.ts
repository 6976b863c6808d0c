import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LicenseCheckOptions, WebhookOptions } from '../../../src/config/config-schema.ts'
import { InitialisationError } from '../../../src/errors.ts'
import type { PipelinePlugin } from '../../../src/plugin.ts'
import { licenseCheck } from '../../../src/plugins/license-check/license-check.ts'
import {
  answering,
  brokenTreatments,
  holding,
  type LookupServer,
  startLookupServer,
  stopTimeouts,
  type Treatment,
  timeFor,
  webhookAt,
} from '../lookup-server.ts'
import { answerOf, makeContext, makeExchange, makeRoute, type TestContext } from '../make-exchange.ts'

let context: TestContext
let licences: LookupServer
beforeEach(async () => {
  context = makeContext()
  licences = await startLookupServer()
})
afterEach(async () => {
  vi.useRealTimers()
  await context.close()
  await licences.close()
})

const checker = (overrides: Partial<WebhookOptions> = {}, tenants: LicenseCheckOptions['tenants'] = {}) => {
  const url = `${licences.origin}/licences/{tenant}/{feature}`
  return licenseCheck({ tenants, webhook: webhookAt(url, overrides) }, context)
}

const makeRequest = (tenantId = 'acme', license = 'optimize') =>
  makeExchange({ tenantId, route: makeRoute({ license }) })

async function send(plugin: PipelinePlugin, tenant?: string, feature?: string) {
  const exchange = makeRequest(tenant, feature)
  return answerOf(await plugin.request(exchange), exchange)
}

const trace = { correlationId: 'corr-1', requestId: 'req-1' }
const mediaType = 'application/vnd.agentic.error+json'
const required = {
  status: 403,
  mediaType,
  body: {
    type: 'forbidden',
    code: 'LICENSE_REQUIRED',
    message: 'The tenant has no licence for this operation.',
    trace,
  },
}
const unavailable = {
  status: 424,
  mediaType,
  body: {
    type: 'failed_dependency',
    code: 'LICENSE_UNAVAILABLE',
    message: 'The licence server does not answer.',
    trace,
  },
}

/** Licenses every path that ends with the given text. */
const licensing =
  (suffix: string): Treatment =>
  (request, response) =>
    response.writeHead(request.url?.endsWith(suffix) ? 200 : 403).end()

describe('the status is the answer', () => {
  test.each([
    ['200', 200, '', undefined],
    ['200 with any body', 200, '<html>', undefined],
    ['403', 403, '', required],
    ['404', 404, '', required],
    ['403 with a friendly body', 403, { licensed: true }, required],
  ])('%s', async (_title, status, body, expected) => {
    licences.treat(answering(status, body))
    expect(await send(checker())).toEqual(expected)
    expect(licences.calls).toEqual(['/licences/acme/optimize'])
  })

  test('a route without a feature asks nobody', () => {
    expect(checker().request(makeExchange({ tenantId: 'acme' }))).toBeUndefined()
    expect(licences.calls).toEqual([])
  })

  test('without a tenant nobody is asked', async () => {
    const exchange = makeExchange({ route: makeRoute({ license: 'optimize' }) })
    expect(answerOf(await checker().request(exchange), exchange)).toEqual(required)
    expect(licences.calls).toEqual([])
  })

  test('the configured headers are sent', async () => {
    await send(checker({ headers: { 'X-Key': 'secret' } }))
    expect(licences.heads[0]).toMatchObject({ 'x-key': 'secret' })
  })
})

describe('a server that gives no answer closes the route', () => {
  const expectOutage = async (broken: Treatment) => {
    const plugin = checker(timeFor(broken))
    licences.treat(broken)
    expect(await send(plugin)).toEqual(unavailable)
    expect(plugin.degraded?.()).toMatch(/^the licence server gives no usable answer: [a-z_]+$/)
    licences.treat(answering(200))
    stopTimeouts()
    expect(await send(plugin)).toBeUndefined()
    expect(plugin.degraded?.()).toBeUndefined()
    expect(licences.calls).toHaveLength(2)
  }

  test.each(brokenTreatments)('%s', (_title, broken) => expectOutage(broken))

  test.each([400, 402, 410, 429, 502, 503, 504])('status %i', (status) => expectOutage(answering(status)))

  test.each([301, 302, 303, 307, 308])('redirect %i, and where it leads gets nothing', async (status) => {
    const elsewhere = await startLookupServer(answering(200))
    await expectOutage(answering(status, '', { location: `${elsewhere.origin}/licences/acme/optimize` }))
    expect(elsewhere.calls).toEqual([])
    await elsewhere.close()
  })

  test('nobody listens', async () => {
    const plugin = checker()
    await licences.close()
    expect(await send(plugin)).toEqual(unavailable)
  })
})

describe('with a table as well', () => {
  const tenants = {
    acme: { features: ['optimize'] },
    globex: { features: ['optimize'], expires_at: '2020-01-01T00:00:00Z' },
  }

  test('the table has the last word on the tenants it lists', async () => {
    licences.treat(answering(200))
    const plugin = checker({}, tenants)
    expect(await send(plugin, 'acme', 'optimize')).toBeUndefined()
    expect(await send(plugin, 'acme', 'export')).toEqual(required)
    expect(await send(plugin, 'globex', 'optimize')).toMatchObject({ body: { code: 'LICENSE_EXPIRED' } })
    expect(licences.calls).toEqual([])
  })

  test('the server is asked about every other tenant', async () => {
    licences.treat(licensing('/initech/optimize'))
    const plugin = checker({}, tenants)
    expect(await send(plugin, 'initech', 'optimize')).toBeUndefined()
    expect(await send(plugin, 'umbrella', 'optimize')).toEqual(required)
    expect(await send(plugin, 'constructor', 'optimize')).toEqual(required)
    expect(licences.calls).toEqual([
      '/licences/initech/optimize',
      '/licences/umbrella/optimize',
      '/licences/constructor/optimize',
    ])
  })

  test('an outage of the server leaves the listed tenants alone', async () => {
    const plugin = checker({}, tenants)
    await licences.close()
    expect(await send(plugin, 'acme', 'optimize')).toBeUndefined()
    expect(await send(plugin, 'initech', 'optimize')).toEqual(unavailable)
  })
})

describe('answers are kept', () => {
  test('and given without a promise', async () => {
    licences.treat(licensing('/optimize'))
    const plugin = checker()
    await send(plugin, 'acme', 'optimize')
    await send(plugin, 'acme', 'export')
    expect(plugin.request(makeRequest('acme', 'optimize'))).toBeUndefined()
    expect(plugin.request(makeRequest('acme', 'export'))).toMatchObject({ code: 'LICENSE_REQUIRED' })
    expect(licences.calls).toHaveLength(2)
  })

  test.each([
    ['yes', 200, 403, 300_000],
    ['no (403)', 403, 200, 30_000],
    ['no (404)', 404, 200, 30_000],
  ])('for their own time: %s', async (_title, status, later, keptMs) => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] })
    vi.advanceTimersByTime(1)
    const plugin = checker()
    licences.treat(answering(status))
    const first = await send(plugin)
    licences.treat(answering(later))
    vi.advanceTimersByTime(keptMs)
    expect(await send(plugin)).toEqual(first)
    vi.advanceTimersByTime(1)
    expect(await send(plugin)).not.toEqual(first)
    expect(licences.calls).toHaveLength(2)
  })

  test('for one tenant and one feature only', async () => {
    licences.treat(licensing('/a.b/c'))
    const plugin = checker()
    expect(await send(plugin, 'a.b', 'c')).toBeUndefined()
    expect(await send(plugin, 'a', 'b.c')).toEqual(required)
    expect(await send(plugin, 'a.bc', '.')).toEqual(required)
    expect(await send(plugin, 'a.b', 'c')).toBeUndefined()
  })

  test('apart even where both values stand side by side in the URL', async () => {
    const webhook = webhookAt(`${licences.origin}/{tenant}{feature}?t={tenant}`)
    licences.treat(licensing('t=ab'))
    const plugin = licenseCheck({ tenants: {}, webhook }, context)
    expect(await send(plugin, 'ab', 'c')).toBeUndefined()
    expect(await send(plugin, 'a', 'bc')).toEqual(required)
    expect(licences.calls).toEqual(['/abc?t=ab', '/abc?t=a'])
  })

  test('up to the bound', async () => {
    licences.treat(answering(200))
    const plugin = checker({ cache_max_entries: 2 })
    for (const tenant of ['a', 'b', 'a', 'c', 'a', 'd']) await send(plugin, tenant)
    expect(licences.calls.map((url) => url.split('/')[2])).toEqual(['a', 'b', 'c', 'd'])
  })
})

test('100 requests of one tenant at a time are one call', async () => {
  const plugin = checker()
  const { treatment, release } = holding()
  licences.treat(treatment)
  const waiting = Array.from({ length: 100 }, () => send(plugin))
  await licences.called(1)
  release(answering(403))
  expect(await Promise.all(waiting)).toEqual(Array(100).fill(required))
  expect(licences.calls).toHaveLength(1)
})

test.each(['.', '..'])(
  'the tenant %j, which no path can carry, has no licence and nobody is asked',
  async (tenant) => {
    licences.treat(answering(200))
    expect(await send(checker(), tenant)).toEqual(required)
    expect(licences.calls).toEqual([])
  },
)

test.each([
  ['the tenant', 'http://127.0.0.1:9/{feature}'],
  ['the feature', 'http://127.0.0.1:9/{tenant}'],
])('a URL without %s stops the start', (_title, url) => {
  expect(() => licenseCheck({ tenants: {}, webhook: webhookAt(url) }, context)).toThrow(InitialisationError)
})
