import { afterEach, beforeEach, expect, test } from 'vitest'
import { tenantInjector } from '../../../src/plugins/tenant-injector/tenant-injector.ts'
import { type LookupServer, startLookupServer, webhookAt } from '../lookup-server.ts'
import { makeContext, makeExchange, makeIdentity, type TestContext } from '../make-exchange.ts'

/** A directory that reads the principal from the last path segment, exactly as sent. */
const tenantByPath = new Map([
  ['/v1/principals/alice/tenant', 'acme'],
  ['/v1/principals/..%2Falice/tenant', 't-dots'],
  ['/v1/principals/alice%3Fx%3D/tenant', 't-query'],
  ['/v1/principals/alice%23/tenant', 't-fragment'],
  ['/v1/principals/%252f/tenant', 't-escape'],
  ['/v1/principals/alice%2Ftenant%3F/tenant', 't-cut'],
  ['/v1/principals/..%5C..%5Cadmin/tenant', 't-backslash'],
  ['/v1/principals/a%0D%0AHost%3A%20evil/tenant', 't-lines'],
  ['/v1/principals/%00/tenant', 't-nul'],
  ['/v1/principals/Zo%C3%AB/tenant', 't-composed'],
  ['/v1/principals/Zoe%CC%88/tenant', 't-decomposed'],
  ['/v1/principals/%F0%9F%98%80/tenant', 't-emoji'],
  ['/v1/principals/%E2%80%AEecila/tenant', 't-bidi'],
  ['/v1/principals/__proto__/tenant', 't-proto'],
  ['/v1/principals/constructor/tenant', 't-constructor'],
  ['/v1/principals/%7Bprincipal%7D/tenant', 't-braces'],
  ['/v1/principals/%24%26/tenant', 't-dollar'],
  ['/v1/principals/%40evil.test%3A80/tenant', 't-authority'],
  ['/v1/principals/%20/tenant', 't-blank'],
  ['/v1/principals/.../tenant', 't-three'],
])

let context: TestContext
let directory: LookupServer
beforeEach(async () => {
  context = makeContext()
  directory = await startLookupServer((request, response) => {
    const tenant = tenantByPath.get(request.url ?? '')
    if (tenant === undefined) response.writeHead(404).end()
    else response.writeHead(200).end(JSON.stringify({ tenant_id: tenant }))
  })
})
afterEach(async () => {
  await context.close()
  await directory.close()
})

async function ask(plugin: ReturnType<typeof tenantInjector>, subject: string) {
  const exchange = makeExchange({ identity: makeIdentity({ subject }) })
  const refused = await plugin.request(exchange)
  return exchange.tenantId ?? (refused !== undefined && 'code' in refused ? refused.code : 'none')
}

const injector = () => {
  const webhook = webhookAt(`${directory.origin}/v1/principals/{principal}/tenant`)
  return tenantInjector({ claim: 'tenant_id', trust_header: 'service_accounts', webhook }, context)
}

const hostile: readonly (readonly [string, string])[] = [
  ['../alice', 't-dots'],
  ['alice?x=', 't-query'],
  ['alice#', 't-fragment'],
  ['%2f', 't-escape'],
  ['alice/tenant?', 't-cut'],
  ['..\\..\\admin', 't-backslash'],
  ['a\r\nHost: evil', 't-lines'],
  ['\0', 't-nul'],
  ['Zo\u00eb', 't-composed'],
  ['Zoe\u0308', 't-decomposed'],
  ['😀', 't-emoji'],
  ['\u202eecila', 't-bidi'],
  ['__proto__', 't-proto'],
  ['constructor', 't-constructor'],
  ['{principal}', 't-braces'],
  ['$&', 't-dollar'],
  ['@evil.test:80', 't-authority'],
  [' ', 't-blank'],
  ['...', 't-three'],
  ['alice', 'acme'],
]

test.each(hostile)('the principal %j gets its own tenant, %s', async (subject, tenant) => {
  expect(await ask(injector(), subject)).toBe(tenant)
  expect(directory.calls).toHaveLength(1)
})

test('no principal gets the kept answer of another', async () => {
  const plugin = injector()
  const asked = async () => Promise.all(hostile.map(([subject]) => ask(plugin, subject)))
  const tenants = hostile.map(([, tenant]) => tenant)
  expect(await asked()).toEqual(tenants)
  expect(await asked()).toEqual(tenants)
  expect(directory.calls).toHaveLength(hostile.length)
})

test.each(['.', '..', '', '\ud800', 'alice\udc00'])(
  'the principal %j, which no URL can carry, is unknown and nobody is asked',
  async (subject) => {
    expect(await ask(injector(), subject)).toBe('TENANT_UNKNOWN')
    expect(directory.calls).toEqual([])
  },
)
