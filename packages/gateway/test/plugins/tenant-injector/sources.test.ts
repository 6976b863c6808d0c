import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TenantInjectorOptions } from '../../../src/config/config-schema.ts'
import type { Exchange, Identity } from '../../../src/exchange.ts'
import { tenantInjector } from '../../../src/plugins/tenant-injector/tenant-injector.ts'
import { answering, type LookupServer, startLookupServer, webhookAt } from '../lookup-server.ts'
import {
  answerOf,
  makeContext,
  makeExchange,
  makeHeaders,
  makeIdentity,
  type TestContext,
} from '../make-exchange.ts'

let context: TestContext
let directory: LookupServer
beforeEach(async () => {
  context = makeContext()
  directory = await startLookupServer()
})
afterEach(async () => {
  await context.close()
  await directory.close()
})

const REQUIRED = 'TENANT_REQUIRED'
const MISMATCH = 'TENANT_MISMATCH'
const UNKNOWN = 'TENANT_UNKNOWN'

const messages = new Map([
  [
    REQUIRED,
    'No tenant is known for this caller: its token needs a tenant claim, or, with several tenants, the request names one of them.',
  ],
  [MISMATCH, 'The tenant of the request is not one of the caller.'],
  [UNKNOWN, 'The tenant is not known here.'],
])

interface Case {
  /** The `X-Tenant-ID` header. */
  readonly header?: string | undefined
  readonly identity?: Identity | undefined
  readonly options?: Partial<TenantInjectorOptions>
}

async function send({ header, identity, options = {} }: Case): Promise<Exchange & { answer: unknown }> {
  const headers = makeHeaders(header === undefined ? {} : { 'X-Tenant-ID': header })
  const exchange = makeExchange({ headers, identity })
  const plugin = tenantInjector({ claim: 'tenant_id', trust_header: 'service_accounts', ...options }, context)
  const answer = answerOf(await plugin.request(exchange), exchange)
  return { ...exchange, answer }
}

async function expectTenant(request: Case, tenant: string) {
  const { tenantId, answer } = await send(request)
  expect({ tenantId, answer }).toEqual({ tenantId: tenant, answer: undefined })
}

async function expectRefusal(request: Case, code: string) {
  const { tenantId, answer, trace } = await send(request)
  expect(tenantId).toBeUndefined()
  expect(answer).toEqual({
    status: 403,
    mediaType: 'application/vnd.agentic.error+json',
    body: { type: 'forbidden', code, message: messages.get(code), trace },
  })
}

const withClaim = (tenant: unknown, rest: Partial<Identity> = {}) =>
  makeIdentity({ claims: { sub: 'alice', tenant_id: tenant }, ...rest })
const noClaim = makeIdentity()
const trusting: Partial<TenantInjectorOptions> = { trust_header: 'everyone' }

describe('with a tenant claim', () => {
  test.each([
    ['a text and no header', 'acme', undefined],
    ['a text and the same header', 'acme', 'acme'],
    ['a list of one and no header', ['acme'], undefined],
    ['a list that names it twice and no header', ['acme', 'acme'], undefined],
    ['a list and a header in it', ['globex', 'acme'], 'acme'],
    ['a text and an empty header', 'acme', ''],
    ['a list with other things and a header in it', [7, null, 'acme'], 'acme'],
  ])('%s give the tenant', (_title, claim, header) =>
    expectTenant({ header, identity: withClaim(claim) }, 'acme'),
  )

  test.each([
    ['a text and another header', 'acme', 'globex', MISMATCH],
    ['the header in another case', 'acme', 'ACME', MISMATCH],
    ['a list without the header', ['acme', 'globex'], 'initech', MISMATCH],
    ['a list of several and no header', ['acme', 'globex'], undefined, REQUIRED],
    ['an empty list and no header', [], undefined, REQUIRED],
    ['an empty list and a header', [], 'acme', MISMATCH],
    ['a text that begins with the header', 'acme-corp', 'acme', MISMATCH],
    ['a text that holds several', 'acme,globex', 'acme', MISMATCH],
    ['a list of one good and one malformed and no header', ['acme', 'a b'], undefined, REQUIRED],
  ])('%s are refused', (_title, claim, header, code) =>
    expectRefusal({ header, identity: withClaim(claim) }, code),
  )

  test.each([
    ['a number', 42],
    ['null', null],
    ['false', false],
    ['an object', { id: 'acme' }],
    ['an empty text', ''],
    ['a nested list', [['acme']]],
    ['a text with a blank', 'ac me'],
    ['a path', '../acme'],
    ['a text of 65 characters', 'a'.repeat(65)],
    ['a list of one malformed', ['a/b']],
    ['a text with a line end', 'acme\n'],
    ['look-alike letters', 'аcme'],
  ])('%s is never used: alone it is unknown, and no header gets past it', async (_title, claim) => {
    await expectRefusal({ identity: withClaim(claim) }, UNKNOWN)
    await expectRefusal({ identity: withClaim(claim), header: 'acme' }, MISMATCH)
  })

  test('a malformed claim and a header that repeats it are unknown', () =>
    expectRefusal({ identity: withClaim('a b'), header: 'a b' }, UNKNOWN))

  test("the issuer's own claim path comes before the plugin's", async () => {
    const claims = { tenant_id: 'globex', org: { tenant: 'acme' } }
    await expectTenant({ identity: makeIdentity({ claims, tenantClaim: 'org.tenant' }) }, 'acme')
    await expectTenant({ identity: makeIdentity({ claims }), options: { claim: 'tenant_id' } }, 'globex')
    await expectTenant({ identity: makeIdentity({ claims }), options: { claim: 'org.tenant' } }, 'acme')
  })

  test('a path of the issuer that leads nowhere does not fall back to the claim of the plugin', () =>
    expectRefusal({ identity: withClaim('acme', { tenantClaim: 'org.tenant' }) }, REQUIRED))

  test.each(['__proto__', 'constructor', 'constructor.name', 'toString'])(
    'the claim path %s finds no inherited value',
    (claim) => expectRefusal({ identity: noClaim, options: { claim } }, REQUIRED),
  )
})

describe.each([
  ['without a claim', noClaim],
  ['without a token', undefined],
])('%s', (_title, identity) => {
  const options = trusting

  test('the header is the tenant where everyone is trusted', async () => {
    await expectTenant({ header: 'acme', identity, options }, 'acme')
    await expectRefusal({ header: 'acme', identity }, REQUIRED)
  })

  test.each([undefined, ''])('the header %j is no tenant', (header) =>
    expectRefusal({ header, identity, options }, REQUIRED),
  )

  test.each([
    'ac me',
    'acme, globex',
    'acme;x',
    '../acme',
    'a/b',
    'a%2fb',
    'acmé',
    'a'.repeat(65),
    '*',
    '${tenant}',
    'acme\u0000',
    '.',
    '..',
  ])('the header %j is malformed', (header) => expectRefusal({ header, identity, options }, UNKNOWN))

  test.each(['a', 'A-Z_0.9', 'a'.repeat(64), '__proto__', 'constructor', '0', '...', '.a'])(
    'the header %j is well formed',
    (header) => expectTenant({ header, identity, options }, header),
  )
})

describe('allowed binds every source', () => {
  const options: Partial<TenantInjectorOptions> = { ...trusting, allowed: ['acme', 'globex'] }
  const service = makeIdentity({ serviceAccount: true })

  test.each([
    ['header', { header: 'acme' }],
    ['header of a known caller', { header: 'acme', identity: noClaim }],
    ['claim', { identity: withClaim('acme') }],
    ['header of a service account', { header: 'acme', identity: service }],
  ])('a tenant in the list passes: %s', (_title, request) => expectTenant({ ...request, options }, 'acme'))

  test.each([
    ['header', { header: 'initech' }],
    ['header of a known caller', { header: 'initech', identity: noClaim }],
    ['claim', { identity: withClaim('initech') }],
    ['claim and header that agree', { header: 'initech', identity: withClaim('initech') }],
    ['header outside claim and list', { header: 'initech', identity: withClaim('acme') }],
    ['header of a service account', { header: 'initech', identity: service }],
    ['the name of a property', { header: 'constructor' }],
    ['the prototype', { header: '__proto__' }],
    ['another case', { header: 'Acme' }],
  ])('a tenant outside the list is unknown: %s', (_title, request) =>
    expectRefusal({ ...request, options }, UNKNOWN),
  )

  test('the directory cannot bring in a tenant from outside the list', async () => {
    directory.treat(answering(200, { tenants: ['initech'] }))
    const webhook = webhookAt(`${directory.origin}/{principal}`)
    await expectRefusal({ identity: noClaim, options: { ...options, webhook } }, UNKNOWN)
    await expectRefusal({ identity: noClaim, header: 'initech', options: { ...options, webhook } }, UNKNOWN)
  })

  test('several granted tenants are not narrowed to the one in the list', () =>
    expectRefusal({ identity: withClaim(['acme', 'initech']), options }, REQUIRED))
})

describe('a service account', () => {
  const service = (claims: Record<string, unknown> = {}) =>
    makeIdentity({ subject: 'agent-a', serviceAccount: true, claims: { sub: 'agent-a', ...claims } })

  test('has the tenant of the header', () => expectTenant({ header: 'acme', identity: service() }, 'acme'))

  test('needs the header, even with a claim', async () => {
    await expectRefusal({ identity: service() }, REQUIRED)
    await expectRefusal({ identity: service({ tenant_id: 'acme' }) }, REQUIRED)
  })

  test.each(['acme', ['acme'], ['globex', 'acme']])('has a claim that agrees: %j', (tenant_id) =>
    expectTenant({ header: 'acme', identity: service({ tenant_id }) }, 'acme'),
  )

  test.each(['globex', [], ['globex'], 42, null, { id: 'acme' }])(
    'has a claim that disagrees: %j',
    (tenant_id) => expectRefusal({ header: 'acme', identity: service({ tenant_id }) }, MISMATCH),
  )

  test('with a malformed header is unknown', () =>
    expectRefusal({ header: 'a b', identity: service() }, UNKNOWN))

  test('is never looked up, and its claim still counts', async () => {
    const options = { webhook: webhookAt(`${directory.origin}/{principal}`) }
    await expectTenant({ header: 'acme', identity: service(), options }, 'acme')
    await expectRefusal({ header: 'acme', identity: service({ tenant_id: 'globex' }), options }, MISMATCH)
    await expectRefusal({ identity: service(), options }, REQUIRED)
    expect(directory.calls).toEqual([])
  })

  test('reaches only the tenants that its issuer lists for it', async () => {
    const bound = { ...service(), serviceTenants: new Set(['acme', 'globex']) }
    await expectTenant({ header: 'acme', identity: bound }, 'acme')
    await expectRefusal({ header: 'initech', identity: bound }, MISMATCH)
    await expectRefusal({ header: 'globex', identity: { ...bound, claims: { tenant_id: 'acme' } } }, MISMATCH)
    await expectRefusal({ identity: bound }, REQUIRED)
  })

  test('is what the issuer is registered as, not what a token says about itself', async () => {
    directory.treat(answering(200, { tenant_id: 'globex' }))
    const options = { webhook: webhookAt(`${directory.origin}/{principal}`) }
    const claims = { sub: 'agent-a', service_account: true, serviceAccount: true, roles: ['service_account'] }
    await expectRefusal({ header: 'acme', identity: makeIdentity({ claims }), options }, MISMATCH)
  })
})

describe('with a webhook', () => {
  const options = () => ({ webhook: webhookAt(`${directory.origin}/principals/{principal}`) })

  test.each([
    ['one tenant', { tenant_id: 'acme' }, undefined],
    ['one tenant and the same header', { tenant_id: 'acme' }, 'acme'],
    ['a list of one', { tenants: ['acme'] }, undefined],
    ['a list of one, twice', { tenants: ['acme', 'acme'] }, undefined],
    ['a list and a header in it', { tenants: ['globex', 'acme'] }, 'acme'],
    ['other fields beside it', { tenant_id: 'acme', name: 'Alice', plan: {} }, undefined],
    ['a malformed tenant beside the one that the header picks', { tenants: ['a b', 'acme'] }, 'acme'],
  ])('%s gives the tenant', async (_title, answer, header) => {
    directory.treat(answering(200, answer))
    await expectTenant({ header, identity: noClaim, options: options() }, 'acme')
    expect(directory.calls).toEqual(['/principals/alice'])
  })

  test.each([
    ['another tenant than the header', 200, { tenant_id: 'acme' }, 'globex', MISMATCH],
    ['a list without the header', 200, { tenants: ['acme', 'globex'] }, 'initech', MISMATCH],
    ['several and no header', 200, { tenants: ['acme', 'globex'] }, undefined, REQUIRED],
    ['an empty list and no header', 200, { tenants: [] }, undefined, REQUIRED],
    ['an empty list and a header', 200, { tenants: [] }, 'acme', MISMATCH],
    ['a malformed tenant', 200, { tenant_id: 'a b' }, undefined, UNKNOWN],
    ['an empty tenant', 200, { tenant_id: '' }, undefined, UNKNOWN],
    ['a malformed tenant beside a good one', 200, { tenants: ['a b', 'acme'] }, undefined, REQUIRED],
    ['404 and no header', 404, '', undefined, UNKNOWN],
    ['404 and a header', 404, '', 'acme', UNKNOWN],
    ['404 with a tenant in its body', 404, { tenant_id: 'acme' }, 'acme', UNKNOWN],
  ])('%s is refused', async (_title, status, answer, header, code) => {
    directory.treat(answering(status, answer))
    await expectRefusal({ header, identity: noClaim, options: options() }, code)
  })

  test('the claim does not count', async () => {
    directory.treat(answering(200, { tenant_id: 'globex' }))
    await expectTenant({ identity: withClaim('acme'), options: options() }, 'globex')
    await expectRefusal({ identity: withClaim('acme'), header: 'acme', options: options() }, MISMATCH)
  })

  test('the subject is looked up, not the actor that the caller claims to be', async () => {
    directory.treat(answering(200, { tenant_id: 'acme' }))
    const headers = makeHeaders({ 'X-Actor-Principal': 'root' })
    const exchange = makeExchange({ headers, actor: 'root', identity: noClaim })
    await tenantInjector(
      { claim: 'tenant_id', trust_header: 'service_accounts', ...options() },
      context,
    ).request(exchange)
    expect(directory.calls).toEqual(['/principals/alice'])
  })

  test('the same subject of two issuers is asked for and kept apart', async () => {
    const url = `${directory.origin}/{issuer}/{principal}`
    const plugin = tenantInjector(
      { claim: 'tenant_id', trust_header: 'service_accounts', webhook: webhookAt(url) },
      context,
    )
    const tenantOf = async (issuer: string, answer: string) => {
      directory.treat(answering(200, { tenant_id: answer }))
      const exchange = makeExchange({ identity: makeIdentity({ issuer }) })
      await plugin.request(exchange)
      return exchange.tenantId
    }
    expect(await tenantOf('https://a.example.test', 'acme')).toBe('acme')
    expect(await tenantOf('https://b.example.test', 'globex')).toBe('globex')
    expect(await tenantOf('https://a.example.test', 'initech')).toBe('acme')
    expect(directory.calls).toEqual([
      '/https%3A%2F%2Fa.example.test/alice',
      '/https%3A%2F%2Fb.example.test/alice',
    ])
  })

  test('a URL without the issuer keeps the answers of two issuers apart too', async () => {
    const plugin = tenantInjector(
      { claim: 'tenant_id', trust_header: 'service_accounts', ...options() },
      context,
    )
    directory.treat(answering(200, { tenant_id: 'acme' }))
    for (const issuer of ['https://a.example.test', 'https://b.example.test', 'https://a.example.test'])
      await plugin.request(makeExchange({ identity: makeIdentity({ issuer }) }))
    expect(directory.calls).toEqual(['/principals/alice', '/principals/alice'])
  })

  test('a malformed header is refused without a call', async () => {
    await expectRefusal({ identity: noClaim, header: 'a b', options: options() }, UNKNOWN)
    expect(directory.calls).toEqual([])
  })

  test.each([undefined, 'acme', 'a b'])(
    'nobody is known without a token, whatever the header: %j',
    async (header) => {
      await expectRefusal({ header, options: options() }, REQUIRED)
      expect(directory.calls).toEqual([])
    },
  )

  test('the configured headers are sent', async () => {
    const headers = Object.assign(Object.create(null), { Authorization: 'Bearer directory-key' })
    const webhook = webhookAt(`${directory.origin}/{principal}`, { headers })
    await expectRefusal({ identity: noClaim, options: { webhook } }, UNKNOWN)
    expect(directory.heads[0]).toMatchObject({ authorization: 'Bearer directory-key' })
  })
})

test('what needs no call is answered without a promise', () => {
  const plugin = tenantInjector({ claim: 'tenant_id', trust_header: 'service_accounts' }, context)
  const exchange = makeExchange({ identity: withClaim('acme') })
  expect(plugin.request(exchange)).toBeUndefined()
  expect(exchange.tenantId).toBe('acme')
  expect(plugin.request(makeExchange())).toMatchObject({ code: REQUIRED })
})

test('requests are not changed beyond the tenant', async () => {
  const exchange = makeExchange({
    identity: withClaim('acme'),
    headers: makeHeaders({ 'x-tenant-id': 'acme' }),
  })
  const before = { ...exchange }
  await tenantInjector({ claim: 'tenant_id', trust_header: 'service_accounts' }, context).request(exchange)
  expect(exchange).toEqual({ ...before, tenantId: 'acme' })
})
