import { eventually } from '@agentic-rest/testing/eventually'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startUpstream, type TestUpstream } from '@agentic-rest/testing/start-upstream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { expectRefusal, readFetched } from './harness/expect-outcome.ts'
import { registered } from './plugins/token-validator/make-validator.ts'

let issuer: IssuerServer
let upstream: TestUpstream
let gateway: TestGateway

beforeEach(async () => {
  issuer = await startIssuer()
  onTestFinished(() => issuer.close())
  upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const allow = '"night-shift" in claims.groups || !params.itemId.startsWith("big-")'
  gateway = await startGateway({
    plugins: {
      'token-validator': { issuers: [registered(issuer)] },
      'license-check': { tenants: { globex: { features: ['items'] } } },
      'otel-audit': { include_rejected: true },
    },
    routes: [
      {
        id: 'read-item',
        method: 'GET',
        path: '/items/{itemId}',
        target: upstream.url,
        roles: ['reader'],
        scopes: ['items.read', 'items.list'],
        allow,
        license: 'items',
      },
    ],
  })
})

const everything = {
  tenant_id: 'globex',
  roles: ['reader'],
  scope: 'openid items.read items.list',
  groups: ['day-shift'],
}

async function read(item: string, claims: Record<string, unknown> = {}) {
  const token = await issuer.token({ claims: { ...everything, ...claims } })
  const response = await fetch(`${gateway.url}/items/${item}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  return { ...(await readFetched(response)), challenge: response.headers.get('www-authenticate') }
}

test('a caller with all scopes that the policy allows gets through', async () => {
  expect((await read('small-1')).status).toBe(200)
  expect((await read('big-1', { groups: ['night-shift'] })).status).toBe(200)
  expect((await read('small-1', { scope: undefined, scp: ['items.read', 'items.list'] })).status).toBe(200)
  expect((await read('small-1', { scope: undefined, scp: 'items.read items.list' })).status).toBe(200)
})

test.each([
  { scope: 'items.read' },
  { scope: 'items.read,items.list' },
  { scope: 'items.reader items.list' },
  { scope: undefined },
  { scope: 7 },
  { scope: '', scp: ['items.read', 'items.list'] },
])('a caller with %j is refused with the scopes to ask for', async (claims) => {
  const refused = await read('small-1', claims)
  expectRefusal(refused, 403, 'INSUFFICIENT_SCOPE')
  expect(refused.challenge).toBe(
    'Bearer realm="agentic", error="insufficient_scope", scope="items.read items.list"',
  )
  expect(upstream.requests).toEqual([])
})

test('a denied request is not told the rule, and the record names the route', async () => {
  const refused = await read('big-1')
  expectRefusal(refused, 403, 'POLICY_DENIED')
  expect(refused.challenge).toBeNull()
  expect(JSON.stringify(refused)).not.toMatch(/night|shift|big/)
  const [record] = await eventually(
    () => gateway.audit,
    (audit) => audit.length === 1,
  )
  expect(record?.['attributes']).toMatchObject({ policy: 'read-item', token_sub: 'alice' })
})

test('an expression that fails denies', async () => {
  expectRefusal(await read('big-1', { groups: undefined }), 403, 'POLICY_DENIED')
  // In CEL, one true side of `||` is enough.
  expect((await read('small-1', { groups: undefined })).status).toBe(200)
})

test('the order is roles, tenant, scopes, policy, licence', async () => {
  const nothing = { roles: [], scope: '', tenant_id: 'acme', groups: undefined }
  expectRefusal(await read('big-1', nothing), 403, 'INSUFFICIENT_ROLES')
  expectRefusal(await read('big-1', { ...nothing, roles: ['reader'] }), 403, 'INSUFFICIENT_SCOPE')
  const scoped = { ...nothing, roles: ['reader'], scope: everything.scope }
  expectRefusal(await read('big-1', scoped), 403, 'POLICY_DENIED')
  expectRefusal(await read('big-1', { ...scoped, groups: ['night-shift'] }), 403, 'LICENSE_REQUIRED')
  expectRefusal(
    await read('big-1', { ...nothing, tenant_id: undefined, roles: ['reader'] }),
    403,
    'TENANT_REQUIRED',
  )
})
