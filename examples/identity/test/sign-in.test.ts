import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Identity, type IdentityOptions, startIdentity } from '../src/identity.ts'

const RESOURCE = 'http://127.0.0.1:8080/mcp'
const CALLBACK = 'http://127.0.0.1:33418/callback'

// Its keys take half a second of processor time.
let shared: Identity
let issuer: string
beforeAll(async () => {
  shared = await startIdentity({ port: 0, serviceAccounts: new Map(), mcpResource: RESOURCE })
  issuer = shared.issuer
})
afterAll(() => shared.close())

async function startOwn(options: Partial<IdentityOptions>): Promise<string> {
  const identity = await startIdentity({
    port: 0,
    serviceAccounts: new Map(),
    mcpResource: RESOURCE,
    ...options,
  })
  onTestFinished(() => identity.close())
  return identity.issuer
}

function register(issuer: string, metadata: object) {
  return fetch(`${issuer}/reg`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  })
}

async function registered(issuer: string, metadata: object = {}): Promise<string> {
  const response = await register(issuer, { redirect_uris: [CALLBACK], ...metadata })
  expect(response.status).toBe(201)
  return ((await response.json()) as { client_id: string }).client_id
}

/** A browser without scripts: it keeps cookies and does not follow redirects by itself. */
function openBrowser(issuer: string) {
  const cookies = new Map<string, string>()
  return async function visit(address: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(new URL(address, issuer), {
      redirect: 'manual',
      headers: { Accept: 'text/html', Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    return response
  }
}

const locationOf = (response: Response) => response.headers.get('location') ?? ''

interface Asked {
  readonly clientId: string
  readonly redirectUri?: string
  readonly verifier?: string
  readonly more?: Record<string, string>
}

function authorizeUrl(issuer: string, asked: Asked): string {
  const { clientId, redirectUri = CALLBACK, verifier = 'v'.repeat(43), more = {} } = asked
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'the state of the client',
    resource: RESOURCE,
    ...more,
  })
  return `${issuer}/auth?${query}`
}

/** Walks from the authorization request to the callback, and gives its parameters. */
async function signIn(issuer: string, sub: string, asked: Asked): Promise<URLSearchParams> {
  const visit = openBrowser(issuer)
  const page = locationOf(await visit(authorizeUrl(issuer, asked)))
  expect(page).toMatch(/^\/sign-in\/[\w-]+$/)
  const resume = locationOf(await visit(page, sub === '' ? { refuse: 'yes' } : { sub }))
  const callback = new URL(locationOf(await visit(resume)))
  expect(callback.origin + callback.pathname).toBe(asked.redirectUri ?? CALLBACK)
  return callback.searchParams
}

function exchange(issuer: string, form: Record<string, string>) {
  const body = new URLSearchParams({ grant_type: 'authorization_code', redirect_uri: CALLBACK, ...form })
  return fetch(`${issuer}/token`, { method: 'POST', body })
}

test('the discovery documents name registration, S256 and the authorization code', async () => {
  for (const path of ['openid-configuration', 'oauth-authorization-server']) {
    const document = await (await fetch(`${issuer}/.well-known/${path}`)).json()
    expect(document).toMatchObject({
      issuer,
      registration_endpoint: `${issuer}/reg`,
      authorization_endpoint: `${issuer}/auth`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
  }
})

test('a registered client gets a token of the person for the MCP endpoint, and for nothing else', async () => {
  const clientId = await registered(issuer, { client_name: 'A desktop program' })
  const verifier = randomBytes(32).toString('base64url')
  const answer = await signIn(issuer, 'alice', { clientId, verifier })
  expect(answer.get('state')).toBe('the state of the client')
  expect(answer.get('iss')).toBe(issuer)
  const code = answer.get('code') ?? ''
  const given = await exchange(issuer, { client_id: clientId, code, code_verifier: verifier })
  expect(given.status).toBe(200)
  const body = (await given.json()) as { access_token: string }
  expect(body).toEqual({
    access_token: expect.any(String),
    expires_in: 28_800,
    token_type: 'Bearer',
    scope: 'tools',
  })
  const { payload } = await jwtVerify(body.access_token, createRemoteJWKSet(new URL(`${issuer}/jwks`)))
  expect(payload).toMatchObject({
    iss: issuer,
    sub: 'alice',
    aud: RESOURCE,
    client_id: clientId,
    tenant_id: 'acme',
    roles: ['campaign:optimize'],
    scope: 'tools',
  })
  const again = await exchange(issuer, { client_id: clientId, code, code_verifier: verifier })
  expect(again.status).toBe(400)
  expect(await again.json()).toMatchObject({ error: 'invalid_grant' })
})

test('scopes that a client asks for are in its token', async () => {
  const clientId = await registered(issuer)
  const asked = { clientId, more: { scope: 'campaign:read campaign:write' } }
  const code = (await signIn(issuer, 'carol', asked)).get('code') ?? ''
  const given = await exchange(issuer, { client_id: clientId, code, code_verifier: 'v'.repeat(43) })
  expect(await given.json()).toMatchObject({ scope: 'campaign:read campaign:write' })
})

test('the token of the development grant is good for both the API and the MCP endpoint', async () => {
  const body = new URLSearchParams({
    grant_type: 'urn:agentic-rest:grant-type:development',
    client_id: 'development',
    sub: 'alice',
  })
  const given = await fetch(`${issuer}/token`, { method: 'POST', body })
  const { access_token: token } = (await given.json()) as { access_token: string }
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(`${issuer}/jwks`)))
  expect(payload.aud).toEqual(['agentic', RESOURCE])
})

test('every sign-in asks for the person, and the page names the client', async () => {
  const clientId = await registered(issuer, { client_name: '<b>Tools & "co"</b>' })
  const visit = openBrowser(issuer)
  for (const sub of ['alice', 'bob']) {
    const path = locationOf(await visit(authorizeUrl(issuer, { clientId })))
    const page = await visit(path)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' http://127.0.0.1:33418; frame-ancestors 'none'",
    )
    expect(page.headers.get('cache-control')).toBe('no-store')
    const html = await page.text()
    expect(html).toContain('&lt;b&gt;Tools &amp; &quot;co&quot;&lt;/b&gt;')
    expect(html).toContain('127.0.0.1:33418')
    for (const name of ['alice', 'bob', 'dave', 'carol']) expect(html).toContain(`value="${name}"`)
    const callback = new URL(locationOf(await visit(locationOf(await visit(path, { sub })))))
    expect(callback.searchParams.get('code')).not.toBeNull()
  }
})

test.each([
  ['', 'the cancelled one'],
  ['mallory', 'an unknown person'],
])('a choice of "%s", %s, is denied', async (sub) => {
  const answer = await signIn(issuer, sub, { clientId: await registered(issuer) })
  expect(answer.get('error')).toBe('access_denied')
  expect(answer.get('code')).toBeNull()
})

test('the page of another browser cannot be used', async () => {
  const path = locationOf(
    await openBrowser(issuer)(authorizeUrl(issuer, { clientId: await registered(issuer) })),
  )
  for (const answer of [await openBrowser(issuer)(path), await openBrowser(issuer)(path, { sub: 'alice' })]) {
    expect(answer.status).toBe(400)
    expect(answer.headers.get('location')).toBeNull()
    expect(await answer.text()).toContain('This sign-in has ended or is unknown.')
  }
})

test('a request without PKCE, for another resource or back to another address gets no code', async () => {
  const clientId = await registered(issuer)
  const visit = openBrowser(issuer)
  const errorOf = async (asked: Asked, without: string[] = []) => {
    const url = new URL(authorizeUrl(issuer, asked))
    for (const name of without) url.searchParams.delete(name)
    const response = await visit(url.href)
    if (response.status !== 303)
      return `${response.status} ${/<p>(.*?)<\/p>/.exec(await response.text())?.[1]}`
    return new URL(locationOf(response)).searchParams.get('error')
  }
  expect(await errorOf({ clientId }, ['code_challenge', 'code_challenge_method'])).toBe('invalid_request')
  expect(await errorOf({ clientId, more: { code_challenge_method: 'plain' } })).toBe('invalid_request')
  expect(await errorOf({ clientId, more: { resource: 'https://other.example.test/mcp' } })).toBe(
    'invalid_target',
  )
  expect(await errorOf({ clientId: 'unknown' })).toMatch(/^400 client is invalid/)
  expect(await errorOf({ clientId, redirectUri: 'https://evil.example.test/' })).toMatch(/^400 redirect_uri/)
  expect(await errorOf({ clientId, redirectUri: 'http://127.0.0.1:33418/other' })).toMatch(
    /^400 redirect_uri/,
  )
})

test('a client may listen on another loopback port than it registered', async () => {
  const clientId = await registered(issuer, {
    redirect_uris: ['http://127.0.0.1/', 'https://vscode.dev/redirect'],
  })
  const answer = await signIn(issuer, 'alice', { clientId, redirectUri: 'http://127.0.0.1:59656/' })
  expect(answer.get('code')).not.toBeNull()
})

test('registration keeps web addresses and ignores schemes of programs beside them', async () => {
  const response = await register(issuer, {
    client_name: 'Cursor',
    redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://localhost:8787/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    logo_uri: 'http://169.254.169.254/latest',
    scope: 'openid everything',
  })
  expect(response.status).toBe(201)
  const body = (await response.json()) as Record<string, unknown>
  expect(body).toMatchObject({
    client_name: 'Cursor',
    redirect_uris: ['http://localhost:8787/callback'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'none',
  })
  for (const key of ['logo_uri', 'scope', 'client_secret', 'registration_access_token'])
    expect(body).not.toHaveProperty(key)
})

const refusedRedirects = [
  [],
  'http://127.0.0.1/',
  ['http://example.test/callback'],
  ['http://127.0.0.1.example.test/'],
  ['javascript:alert(1)', CALLBACK],
  ['data:text/html,x', CALLBACK],
  ['file:///etc/passwd', CALLBACK],
  ['https://*.example.test/', CALLBACK],
  ['https://user:secret@example.test/', CALLBACK],
  ['https://example.test/#fragment', CALLBACK],
  ['https://example.test;script-src/', CALLBACK],
  ['https://example.test/callback\n', CALLBACK],
  ['https:\\\\example.test', CALLBACK],
  ['not an address', CALLBACK],
  [`https://example.test/${'a'.repeat(512)}`],
  [42],
  ['cursor://only/callback'],
  Array.from({ length: 11 }, () => CALLBACK),
]

test.each(refusedRedirects.map((uris) => [JSON.stringify(uris).slice(0, 60), uris]))(
  'redirect_uris %s are refused',
  async (_shown, redirect_uris) => {
    const response = await register(issuer, { redirect_uris })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: 'invalid_redirect_uri',
      error_description: expect.stringMatching(/^redirect_uris (has|have) to be /),
    })
  },
)

test.each([
  [{ client_name: 'a'.repeat(101) }],
  [{ client_name: 'Claude\u202Eedoc' }],
  [{ client_name: 'two\nlines' }],
  [{ client_name: { toString: 'x' } }],
  [{ jwks_uri: 'http://169.254.169.254/' }],
  [{ sector_identifier_uri: 'http://127.0.0.1:1/' }],
  [{ request_uris: ['http://127.0.0.1:1/'] }],
  [{ token_endpoint_auth_method: 'private_key_jwt' }],
])('metadata %j are refused', async (metadata) => {
  const response = await register(issuer, { redirect_uris: [CALLBACK], ...metadata })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: 'invalid_client_metadata' })
})

test.each(['[]', '"text"', '{', `${' '.repeat(60_000)}{}`])(
  'a body that is no small JSON object is refused',
  async (body) => {
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(`${issuer}/reg`, { method: 'POST', headers, body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'invalid_request' })
  },
)

test('a page of another site cannot register a client', async () => {
  const headers = { Origin: 'https://evil.example.test', 'Access-Control-Request-Method': 'POST' }
  const response = await fetch(`${issuer}/reg`, { method: 'OPTIONS', headers })
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
})

test('clients outlive a restart, and 200 of them are kept at most', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'agentic-identity-'))
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
  const own = await startOwn({ dataFolder })
  const ids: string[] = []
  for (let count = 0; count < 201; count++) ids.push(await registered(own))
  const file = join(dataFolder, 'clients.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(200)
  const restarted = await startOwn({ dataFolder })
  const visit = openBrowser(restarted)
  const statusOf = async (clientId = '') => (await visit(authorizeUrl(restarted, { clientId }))).status
  expect(await statusOf(ids[0])).toBe(400)
  expect(await statusOf(ids[1])).toBe(303)
  expect(await statusOf(ids[200])).toBe(303)
})

test('without an MCP endpoint there is no registration', async () => {
  const own = await startOwn({ mcpResource: undefined })
  expect((await register(own, { redirect_uris: [CALLBACK] })).status).toBe(404)
  expect((await fetch(`${own}/sign-in/any`)).status).toBe(400)
  const document = await (await fetch(`${own}/.well-known/openid-configuration`)).json()
  expect(document).not.toHaveProperty('registration_endpoint')
})

test('people sign in to a gateway on this machine, at any port, and get a token for the API', async () => {
  const redirectUri = 'http://127.0.0.1:18080/sign-in/callback'
  const clientId = 'agentic-gateway'
  const more = { scope: 'openid profile', nonce: 'n-1', resource: 'urn:agentic-rest:api' }
  const asked = { clientId, redirectUri, more }
  const visit = openBrowser(issuer)
  const page = await visit(locationOf(await visit(authorizeUrl(issuer, asked))))
  expect(await page.text()).toContain('You sign in to the gateway at <strong>127.0.0.1:18080</strong>.')
  const code = (await signIn(issuer, 'dave', asked)).get('code') ?? ''
  const form = { client_id: clientId, redirect_uri: redirectUri, code, code_verifier: 'v'.repeat(43) }
  const given = await (await exchange(issuer, form)).json()
  const { access_token, id_token } = given as { access_token: string; id_token: string }
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
  const { payload } = await jwtVerify(access_token, keys, { issuer, audience: 'agentic' })
  expect(payload).toMatchObject({ sub: 'dave', tenant_id: 'acme', roles: ['campaign:approve'] })
  const { payload: person } = await jwtVerify(id_token, keys, { issuer, audience: clientId })
  expect(person).toMatchObject({ sub: 'dave', nonce: 'n-1' })
  const foreign = { ...asked, redirectUri: 'http://evil.example/sign-in/callback' }
  expect((await visit(authorizeUrl(issuer, foreign))).status).toBe(400)
})
