import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { type Identity, type IdentityOptions, startIdentity } from '../src/identity.ts'

const developmentGrant = 'urn:agentic-rest:grant-type:development'

async function start(options: Partial<IdentityOptions> = {}): Promise<Identity> {
  const serviceAccounts = new Map([['recommendations', 'the secret of recommendations']])
  const identity = await startIdentity({ port: 0, serviceAccounts, ...options })
  onTestFinished(() => identity.close())
  return identity
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-identity-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function ask(issuer: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form), headers })
}

async function tokenFor(issuer: string, wish: Record<string, string>): Promise<string> {
  const response = await ask(issuer, { grant_type: developmentGrant, client_id: 'development', ...wish })
  expect(response.status).toBe(200)
  const body = (await response.json()) as { access_token: string }
  expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 28_800 })
  return body.access_token
}

function askAsAgent(issuer: string, secret: string) {
  const credentials = btoa(`recommendations:${encodeURIComponent(secret).replaceAll('%20', '+')}`)
  return ask(issuer, { grant_type: 'client_credentials' }, { authorization: `Basic ${credentials}` })
}

/** Verifies a token as a gateway does: keys by discovery, all claims required. */
async function verify(token: string, issuer: string) {
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`)
  const { issuer: named, jwks_uri } = (await discovery.json()) as { issuer: string; jwks_uri: string }
  expect(named).toBe(issuer)
  return jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), {
    issuer,
    audience: 'agentic',
    typ: 'at+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
  })
}

test.each([
  ['alice', 'acme', ['campaign:optimize']],
  ['bob', 'acme', []],
  ['dave', 'acme', ['campaign:approve']],
  ['carol', 'globex', ['campaign:optimize']],
])(
  'the token of %s is an access token of RFC 9068 with tenant %s and roles %j',
  async (sub, tenant, roles) => {
    const { issuer } = await start()
    const { payload, protectedHeader } = await verify(await tokenFor(issuer, { sub }), issuer)
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: issuer,
      sub,
      aud: 'agentic',
      client_id: 'development',
      tenant_id: tenant,
      roles,
      iat: expect.any(Number),
      exp: Number(payload.iat) + 28_800,
      jti: expect.any(String),
    })
  },
)

test('a tenant and roles that are given take the place of the demo user’s', async () => {
  const { issuer } = await start()
  const claims = async (wish: Record<string, string>) =>
    (await verify(await tokenFor(issuer, wish), issuer)).payload
  expect(await claims({ sub: 'alice', tenant: 'globex' })).toMatchObject({
    tenant_id: 'globex',
    roles: ['campaign:optimize'],
  })
  expect(await claims({ sub: 'alice', roles: 'a,b' })).toMatchObject({ tenant_id: 'acme', roles: ['a', 'b'] })
  expect(await claims({ sub: 'zoe', tenant: 'acme' })).toMatchObject({
    sub: 'zoe',
    tenant_id: 'acme',
    roles: [],
  })
})

test.each([
  [{ sub: 'zoe' }, 'zoe is none of alice, bob, dave, carol: a tenant has to be given'],
  [{ tenant: 'acme' }, 'sub is missing'],
  [{ sub: 'recommendations', tenant: 'acme' }, 'recommendations is an agent, and no person'],
])('%j is refused: %s', async (wish, description) => {
  const { issuer } = await start()
  const response = await ask(issuer, { grant_type: developmentGrant, client_id: 'development', ...wish })
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: 'invalid_request', error_description: description })
})

test('an agent gets a token of the second issuer, which names it and no tenant', async () => {
  const { issuer, serviceAccountIssuer } = await start()
  expect(serviceAccountIssuer).toBe(`${issuer}/service-accounts`)
  const response = await askAsAgent(serviceAccountIssuer, 'the secret of recommendations')
  const { access_token: token } = (await response.json()) as { access_token: string }
  const { payload } = await verify(token, serviceAccountIssuer)
  expect(payload).toEqual({
    iss: serviceAccountIssuer,
    sub: 'recommendations',
    aud: 'agentic',
    client_id: 'recommendations',
    iat: expect.any(Number),
    exp: Number(payload.iat) + 600,
    jti: expect.any(String),
  })
  await expect(verify(token, issuer)).rejects.toThrow()
})

test('neither issuer gives what the other is for', async () => {
  const { issuer, serviceAccountIssuer } = await start()
  const asUser = await ask(serviceAccountIssuer, {
    grant_type: developmentGrant,
    client_id: 'development',
    sub: 'alice',
  })
  expect([asUser.status, await asUser.json()]).toEqual([
    401,
    expect.objectContaining({ error: 'invalid_client' }),
  ])
  const asAgent = await askAsAgent(issuer, 'the secret of recommendations')
  expect([asAgent.status, await asAgent.json()]).toEqual([
    401,
    expect.objectContaining({ error: 'invalid_client' }),
  ])
})

test('an agent with a wrong secret is refused', async () => {
  const { serviceAccountIssuer } = await start()
  const response = await askAsAgent(serviceAccountIssuer, 'a guess')
  expect(response.status).toBe(401)
  expect(await response.json()).toEqual({
    error: 'invalid_client',
    error_description: 'client authentication failed',
  })
})

test('keys in the data folder outlive a restart, and only their owner can read them', async () => {
  const dataFolder = join(temporaryFolder(), 'identity')
  const first = await start({ dataFolder })
  const token = await tokenFor(first.issuer, { sub: 'alice' })
  first.close()
  const second = await start({ dataFolder, port: Number(new URL(first.issuer).port) })
  expect((await verify(token, second.issuer)).payload.sub).toBe('alice')
  const files = readdirSync(dataFolder)
  expect(files.toSorted()).toEqual(['service-accounts-keys.json', 'users-keys.json'])
  for (const file of files) expect(statSync(join(dataFolder, file)).mode & 0o777).toBe(0o600)
})

test('without a data folder every start has keys of its own', async () => {
  const first = await start()
  const token = await tokenFor(first.issuer, { sub: 'alice' })
  first.close()
  const second = await start({ port: Number(new URL(first.issuer).port) })
  await expect(verify(token, second.issuer)).rejects.toThrow()
})

test('a request for another host gets nothing, as a page that points its own name here would', async () => {
  const { issuer } = await start()
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${issuer}/healthz`, { headers: { host } }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
  expect(await statusFor(`rebound.example:${new URL(issuer).port}`)).toBe(421)
  expect(await statusFor(`localhost:${new URL(issuer).port}`)).toBe(200)
})

test('each token leaves a record, without the token', async () => {
  const records: object[] = []
  const { issuer } = await start({ records: (record) => records.push(record) })
  const token = await tokenFor(issuer, { sub: 'alice' })
  expect(records).toEqual([
    {
      event_type: 'identity.token.issued',
      tenant_id: 'acme',
      actor_id: 'alice',
      operation: 'POST /token',
      outcome: 'success',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      attributes: {
        issuer,
        client_id: 'development',
        token_id: expect.any(String),
        roles: 'campaign:optimize',
      },
    },
  ])
  expect(JSON.stringify(records)).not.toContain(token.split('.')[2])
})

test('it tells whom it knows by name, for who offers a choice', async () => {
  const { issuer } = await start()
  const response = await fetch(`${issuer}/people`)
  expect([response.status, await response.json()]).toEqual([
    200,
    [
      { sub: 'alice', tenant: 'acme', roles: ['campaign:optimize'] },
      { sub: 'bob', tenant: 'acme', roles: [] },
      { sub: 'dave', tenant: 'acme', roles: ['campaign:approve'] },
      { sub: 'carol', tenant: 'globex', roles: ['campaign:optimize'] },
    ],
  ])
})

test('people that are given take the place of those of the reference stack', async () => {
  const { issuer } = await start({ people: new Map([['mia', { tenant: 'acme', roles: ['support'] }]]) })
  expect(await (await fetch(`${issuer}/people`)).json()).toEqual([
    { sub: 'mia', tenant: 'acme', roles: ['support'] },
  ])
  const { payload } = await verify(await tokenFor(issuer, { sub: 'mia' }), issuer)
  expect(payload).toMatchObject({ sub: 'mia', tenant_id: 'acme', roles: ['support'] })
  const unknown = await ask(issuer, {
    grant_type: developmentGrant,
    client_id: 'development',
    sub: 'alice',
  })
  expect([unknown.status, await unknown.json()]).toEqual([
    400,
    { error: 'invalid_request', error_description: 'alice is none of mia: a tenant has to be given' },
  ])
})
