import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LicenseCheckOptions } from '../../../src/config/config-schema.ts'
import { InitialisationError } from '../../../src/errors.ts'
import type { Exchange } from '../../../src/exchange.ts'
import { licenseCheck } from '../../../src/plugins/license-check/license-check.ts'
import { answerOf, makeContext, makeExchange, makeRoute, type TestContext } from '../make-exchange.ts'

let context: TestContext
beforeEach(() => {
  context = makeContext()
})
afterEach(async () => {
  vi.useRealTimers()
  await context.close()
})

const tenants: LicenseCheckOptions['tenants'] = {
  acme: { features: ['optimize', 'stream'] },
  globex: { features: ['optimize'], expires_at: '2027-01-01T00:00:00Z' },
  initech: { features: [] },
}

const toTenant = (tenantId: string | undefined, license: string | undefined): Exchange =>
  makeExchange({ tenantId, route: makeRoute(license === undefined ? {} : { license }) })

function send(exchange: Exchange, table = tenants) {
  const result = licenseCheck({ tenants: table }, context).request(exchange)
  // The table never needs a promise.
  expect(result).not.toBeInstanceOf(Promise)
  return answerOf(result as Awaited<typeof result>, exchange)
}

const refused = (code: string, message: string) => ({
  status: 403,
  mediaType: 'application/vnd.agentic.error+json',
  body: { type: 'forbidden', code, message, trace: { correlationId: 'corr-1', requestId: 'req-1' } },
})
const required = refused('LICENSE_REQUIRED', 'The tenant has no licence for this operation.')
const expired = refused('LICENSE_EXPIRED', 'The licence of the tenant has expired.')

describe('a route without a feature', () => {
  test.each(['acme', 'nobody', undefined])('needs no licence: tenant %s', (tenant) => {
    expect(send(toTenant(tenant, undefined))).toBeUndefined()
  })

  test('is not there at all when nothing matched', () => {
    expect(send(makeExchange({ tenantId: 'acme', route: undefined }))).toBeUndefined()
  })
})

describe('by the table', () => {
  test.each(['optimize', 'stream'])('a tenant uses what it has: %s', (feature) => {
    expect(send(toTenant('acme', feature))).toBeUndefined()
  })

  test.each([
    ['a feature it has not', 'acme', 'export'],
    ['no feature at all', 'initech', 'optimize'],
    ['a feature in another case', 'acme', 'Optimize'],
    ['the beginning of a feature', 'acme', 'opt'],
    ['an inherited name as feature', 'acme', 'constructor'],
    ['an unlisted tenant', 'umbrella', 'optimize'],
    ['the tenant in another case', 'ACME', 'optimize'],
    ['no tenant', undefined, 'optimize'],
  ])('%s needs a licence', (_title, tenant, feature) => {
    expect(send(toTenant(tenant, feature))).toEqual(required)
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'the tenant %s is one like any other that is not listed',
    (tenant) => {
      expect(send(toTenant(tenant, 'optimize'))).toEqual(required)
      expect(send(toTenant(tenant, 'length'))).toEqual(required)
    },
  )

  test('a tenant named like a property has the licence that is listed for it', () => {
    const table = Object.assign(Object.create(null), { constructor: { features: ['optimize'] } })
    expect(send(toTenant('constructor', 'optimize'), table)).toBeUndefined()
    expect(send(toTenant('toString', 'optimize'), table)).toEqual(required)
  })
})

describe('a licence ends', () => {
  test.each([
    ['2026-12-31T23:59:59.999Z', undefined],
    ['2027-01-01T00:00:00.000Z', expired],
    ['2030-01-01T00:00:00.000Z', expired],
  ])('at its time: %s', (now, answer) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
    expect(send(toTenant('globex', 'optimize'))).toEqual(answer)
  })

  test('while the gateway runs', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-12-31T23:59:59Z') })
    const plugin = licenseCheck({ tenants }, context)
    expect(plugin.request(toTenant('globex', 'optimize'))).toBeUndefined()
    vi.setSystemTime(new Date('2027-01-01T00:00:00Z'))
    expect(plugin.request(toTenant('globex', 'optimize'))).toMatchObject({ code: 'LICENSE_EXPIRED' })
    expect(plugin.request(toTenant('acme', 'optimize'))).toBeUndefined()
  })

  test('and a feature that was never in it still needs a licence', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-01T00:00:00Z') })
    expect(send(toTenant('globex', 'export'))).toEqual(required)
  })

  test('with its offset counted', () => {
    const table = { acme: { features: ['optimize'], expires_at: '2027-01-01T02:00:00+02:00' } }
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-12-31T23:59:59Z') })
    expect(send(toTenant('acme', 'optimize'), table)).toBeUndefined()
    vi.setSystemTime(new Date('2027-01-01T00:00:00Z'))
    expect(send(toTenant('acme', 'optimize'), table)).toEqual(expired)
  })

  test('and a time that cannot be read stops the start', () => {
    const table = { acme: { features: ['optimize'], expires_at: 'soon' } }
    expect(() => licenseCheck({ tenants: table }, context)).toThrow(InitialisationError)
  })
})

test('without any source nobody has a licence', () => {
  expect(send(toTenant('acme', 'optimize'), {})).toEqual(required)
})
