import { eventually } from '@agentic-rest/testing/eventually'
import type { TokenParts } from '@agentic-rest/testing/sign-token'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startUpstream, type TestUpstream } from '@agentic-rest/testing/start-upstream'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { expectRefusal, readFetched } from './harness/expect-outcome.ts'
import { registered } from './plugins/token-validator/make-validator.ts'

let people: IssuerServer
let others: IssuerServer
let upstream: TestUpstream
let gateway: TestGateway

beforeEach(async () => {
  people = await startIssuer()
  others = await startIssuer()
  upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const service_accounts = { values: ['agent-a', 'agent-b'], tenants: ['acme', 'globex'] }
  gateway = await startGateway({
    plugins: {
      'token-validator': { issuers: [registered(people, { service_accounts }), registered(others)] },
    },
    routes: [{ id: 'read-item', method: 'GET', path: '/items/{itemId}', target: upstream.url }],
  })
  onTestFinished(async () => void (await Promise.all([people.close(), others.close()])))
})

async function send(parts: TokenParts, headers: Record<string, string> = {}, issuer = people) {
  const token = await issuer.token(parts)
  return fetch(`${gateway.url}/items/1`, { headers: { Authorization: `Bearer ${token}`, ...headers } })
}

const now = () => Math.floor(Date.now() / 1000)

test('a person without a tenant claim is refused, whatever the header says', async () => {
  expectRefusal(await readFetched(await send({}, { 'X-Tenant-ID': 'acme' })), 403, 'TENANT_REQUIRED')
  expectRefusal(await readFetched(await send({})), 403, 'TENANT_REQUIRED')
  expect(upstream.requests).toEqual([])
})

describe('a service account told by its claim', () => {
  const agent = { claims: { sub: 'a', client_id: 'agent-a' } }

  test('names one of its tenants in the header', async () => {
    expect((await send(agent, { 'X-Tenant-ID': 'globex' })).status).toBe(200)
    expect(upstream.requests[0]?.headers['x-tenant-id']).toBe('globex')
  })

  test('reaches no other tenant', async () => {
    const refused = await readFetched(await send(agent, { 'X-Tenant-ID': 'initech' }))
    expectRefusal(refused, 403, 'TENANT_MISMATCH')
  })

  test.each([
    { client_id: 'agent-c' },
    { client_id: ['agent-a'] },
    { client_id: undefined, azp: 'agent-a' },
    { client_id: 'AGENT-A' },
  ])('is nobody with the claims %j', async (claims) => {
    const refused = await readFetched(await send({ claims }, { 'X-Tenant-ID': 'acme' }))
    expectRefusal(refused, 403, 'TENANT_REQUIRED')
  })

  test('is none with the claim of another issuer', async () => {
    const refused = await readFetched(await send(agent, { 'X-Tenant-ID': 'acme' }, others))
    expectRefusal(refused, 403, 'TENANT_REQUIRED')
  })
})

test('the issuer of the caller goes upstream and into the record, never one that the client sends', async () => {
  const claims = { sub: 'alice', tenant_id: 'acme' }
  const forged = {
    'X-Actor-Issuer': 'https://forged.example.test',
    X_Actor_Issuer: 'https://forged.example.test',
    'X-Actor-Principal': 'mallory',
  }
  await send({ claims }, forged)
  await send({ claims }, forged, others)
  const seen = upstream.requests.map(({ headers }) => headers)
  expect(seen.map((headers) => headers['x-actor-issuer'])).toEqual([people.url, others.url])
  expect(seen.map((headers) => headers['x-actor-subject'])).toEqual(['alice', 'alice'])
  expect(JSON.stringify(seen)).not.toContain('forged')
  const records = await eventually(
    () => gateway.audit,
    (audit) => audit.length === 2,
  )
  expect(records.map(({ actor_id, attributes }) => ({ actor_id, attributes }))).toMatchObject([
    { actor_id: 'mallory', attributes: { issuer: people.url, token_sub: 'alice' } },
    { actor_id: 'mallory', attributes: { issuer: others.url, token_sub: 'alice' } },
  ])
})

test('headers that a server behind might believe stay at the gateway', async () => {
  const dangerous = {
    'X-HTTP-Method-Override': 'DELETE',
    'X-Original-URL': '/admin',
    'X-Rewrite-URL': '/admin',
    'X-Forwarded-User': 'root',
    'X-Real-IP': '10.0.0.1',
    'X-Forwarded-Client-Cert': 'Hash=1',
    'Client-Cert': ':MIIB:',
    'Client-Cert-Chain': ':MIIB:',
    X_Original_Url: '/admin',
    'X-Method-Override': 'DELETE',
    'X-HTTP-Method': 'DELETE',
    'X-Original-Host': 'admin',
    'X-Original-URI': '/admin',
    'X-Original-Method': 'DELETE',
    'X-Rewrite-Path': '/admin',
    'X-Envoy-Original-Path': '/admin',
    'X-Forwarded-Uri': '/admin',
    'X-Forwarded-Path': '/admin',
    'X-Forwarded-Method': 'DELETE',
    'X-Forwarded-Prefix': '/admin',
    'X-Script-Name': '/admin',
    'X_Forwarded.Prefix': '/admin',
  }
  await send({ claims: { tenant_id: 'acme' } }, dangerous)
  const names = Object.keys(upstream.requests[0]?.headers ?? {})
  expect(names).toContain('x-tenant-id')
  for (const name of Object.keys(dangerous)) expect(names).not.toContain(name.toLowerCase())
})

describe('a token', () => {
  const tenant_id = 'acme'

  test('from the future is refused beyond the clock skew', async () => {
    const soon = { claims: { tenant_id, iat: now() + 20 } }
    expect((await send(soon)).status).toBe(200)
    const later = { claims: { tenant_id, iat: now() + 120 } }
    expectRefusal(await readFetched(await send(later)), 401, 'TOKEN_NOT_YET_VALID')
  })

  test.each(['nonce', 'at_hash'])('with %s and without a type is an ID token and refused', async (claim) => {
    const claims = { tenant_id, [claim]: 'x' }
    expectRefusal(await readFetched(await send({ claims, header: { typ: undefined } })), 401, 'INVALID_TOKEN')
    expect((await send({ claims, header: { typ: 'at+jwt' } })).status).toBe(200)
  })
})

test.each(['.', '..'])('a tenant called %s is malformed', async (tenant_id) => {
  expectRefusal(await readFetched(await send({ claims: { tenant_id } })), 403, 'TENANT_UNKNOWN')
})
