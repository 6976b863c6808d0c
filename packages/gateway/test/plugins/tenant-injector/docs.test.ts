import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/parse-config.ts'
import type { Exchange } from '../../../src/exchange.ts'
import type { PipelinePlugin } from '../../../src/plugin.ts'
import { licenseCheck } from '../../../src/plugins/license-check/license-check.ts'
import { tenantInjector } from '../../../src/plugins/tenant-injector/tenant-injector.ts'
import { answering, type LookupServer, startLookupServer } from '../lookup-server.ts'
import { makeContext, makeExchange, makeHeaders, makeIdentity, type TestContext } from '../make-exchange.ts'

const docs = join(import.meta.dirname, '../../../../../docs/plugins')

let context: TestContext
let server: LookupServer
beforeEach(async () => {
  context = makeContext()
  server = await startLookupServer()
})
afterEach(async () => {
  await context.close()
  await server.close()
})

/** The configuration of a documentation page, with the test server in place of the documented one. */
function documentedConfig(page: string, origin: string) {
  const text = readFileSync(join(docs, page), 'utf8')
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? []
  expect(yaml).toContain(origin)
  const result = parseConfig(yaml.replace(origin, server.origin), {
    file: page,
    env: { DIRECTORY_TOKEN: 'local' },
  })
  if (!result.ok) throw new Error(JSON.stringify(result.faults))
  return result.config
}

async function codeOf(plugin: PipelinePlugin, exchange: Exchange): Promise<string | undefined> {
  const result = await plugin.request(exchange)
  return result !== undefined && 'code' in result ? result.code : undefined
}

test('the example of tenant-injector does what its page says', async () => {
  const config = documentedConfig('tenant-injector.md', 'http://127.0.0.1:8086')
  const plugin = tenantInjector(config.plugins['tenant-injector'], context)
  server.treat(answering(200, { tenants: ['acme', 'initech'] }))
  const from = (tenant: string, serviceAccount = false) =>
    makeExchange({
      identity: makeIdentity({ serviceAccount }),
      headers: makeHeaders({ 'X-Tenant-ID': tenant }),
    })
  const person = from('acme')
  expect(await codeOf(plugin, person)).toBeUndefined()
  expect(person.tenantId).toBe('acme')
  expect(await codeOf(plugin, from('globex'))).toBe('TENANT_MISMATCH')
  expect(await codeOf(plugin, from('initech'))).toBe('TENANT_UNKNOWN')
  const agent = from('globex', true)
  expect(await codeOf(plugin, agent)).toBeUndefined()
  expect(agent.tenantId).toBe('globex')
  expect(server.calls).toEqual(['/principals/alice'])
  expect(server.heads[0]).toMatchObject({ authorization: 'Bearer local' })
})

test('the example of license-check does what its page says', async () => {
  const config = documentedConfig('license-check.md', 'http://127.0.0.1:8087')
  const plugin = licenseCheck(config.plugins['license-check'], context)
  server.treat(answering(200))
  const [create, read] = config.routes
  const to = (route: typeof create, tenantId: string) => codeOf(plugin, makeExchange({ route, tenantId }))
  expect(await to(create, 'acme')).toBeUndefined()
  expect(await to(create, 'globex')).toBe('LICENSE_EXPIRED')
  expect(await to(create, 'initech')).toBeUndefined()
  expect(await to(read, 'globex')).toBeUndefined()
  expect(server.calls).toEqual(['/licences/initech/optimize'])
})

test('the codes that a page lists are the codes of its plugin', () => {
  const listed = (page: string) =>
    [...readFileSync(join(docs, page), 'utf8').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
  expect(listed('tenant-injector.md')).toEqual([
    'TENANT_REQUIRED',
    'TENANT_MISMATCH',
    'TENANT_UNKNOWN',
    'TENANT_LOOKUP_UNAVAILABLE',
  ])
  expect(listed('license-check.md')).toEqual(['LICENSE_REQUIRED', 'LICENSE_EXPIRED', 'LICENSE_UNAVAILABLE'])
})

test('through the configuration, tenants named like properties are ordinary', async () => {
  const yaml = `
plugins:
  token-validator: { mode: off }
  tenant-injector: { trust_header: everyone }
  license-check: { tenants: { constructor: { features: [optimize] }, acme: { features: [] } } }
routes:
  - { id: a, method: GET, path: /a, target: "http://127.0.0.1:9", license: optimize }
`
  const result = parseConfig(yaml, { file: 'test.yaml', env: {} })
  if (!result.ok) throw new Error(JSON.stringify(result.faults))
  const plugin = licenseCheck(result.config.plugins['license-check'], context)
  const [route] = result.config.routes
  const verdicts = ['constructor', '__proto__', 'toString', 'acme'].map((tenantId) =>
    codeOf(plugin, makeExchange({ route, tenantId })),
  )
  expect(await Promise.all(verdicts)).toEqual([
    undefined,
    'LICENSE_REQUIRED',
    'LICENSE_REQUIRED',
    'LICENSE_REQUIRED',
  ])
})
