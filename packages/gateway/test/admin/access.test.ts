import { hash } from 'node:crypto'
import { eventually } from '@agentic-rest/testing/eventually'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/index.ts'
import { startAdmin } from './harness/start-admin.ts'

const secret = 'a shared secret of the tests, long enough'
const issuer = 'https://id.example.test'
const plugins = {
  'token-validator': {
    clock_skew_seconds: 0,
    issuers: [{ issuer, audience: ['agentic'], algorithms: ['HS256'], hs256_secret: secret }],
  },
}
const settings = { role: 'gateway:admin' }
const production = { admin: {}, settings, config: { plugins } }

function tokenFor(roles: readonly string[], seconds = 60, by = issuer): Promise<string> {
  return new SignJWT({ roles })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(by)
    .setAudience('agentic')
    .setSubject('operator')
    .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
    .sign(Buffer.from(secret))
}

const paths = [
  '/',
  '/index.html',
  '/openapi.json',
  '/api/gateway',
  '/api/routes',
  '/api/openapi?route=read-item',
  '/api/feed',
  '/api/recent',
  '/api/requests',
  '/x',
]
const unauthenticated = { code: 'UNAUTHENTICATED', message: 'A token is needed here.' }
const withoutRole = { code: 'FORBIDDEN', message: 'The token does not have the role that is needed here.' }

describe('outside development', () => {
  test('nothing is answered without a token, on any path', async () => {
    const { adminUrl } = await startAdmin(production)
    for (const path of paths) {
      const { status, headers, body } = await sendRequest(`${adminUrl}${path}`)
      expect({ path, status, body: JSON.parse(body.toString()) }).toEqual({
        path,
        status: 401,
        body: unauthenticated,
      })
      expect(headers['www-authenticate']).toBe('Bearer realm="agentic"')
    }
    const post = await sendRequest(`${adminUrl}/api/records?part=x`, { method: 'POST', body: '[]' })
    expect([post.status, JSON.parse(post.body.toString())]).toEqual([401, unauthenticated])
  })

  test('forged, expired and foreign tokens get one answer without a reason', async () => {
    const { adminUrl } = await startAdmin(production)
    const good = await tokenFor(['gateway:admin'])
    const tokens = [`${good.slice(0, -3)}AAA`, await tokenFor(['gateway:admin'], -1), 'x', `Basic ${good}`]
    for (const token of tokens) {
      const headers = { authorization: token.startsWith('Basic') ? token : `Bearer ${token}` }
      const { status, body } = await sendRequest(`${adminUrl}/api/gateway`, { headers })
      expect([status, JSON.parse(body.toString())]).toEqual([401, unauthenticated])
    }
  })

  test('a token with the role opens every path, one without it none', async () => {
    const { adminUrl } = await startAdmin(production)
    const ask = async (roles: string[], path: string) => {
      const authorization = `Bearer ${await tokenFor(roles)}`
      return await sendRequest(`${adminUrl}${path}`, { headers: { authorization } })
    }
    for (const roles of [[], ['gateway'], ['gateway:admin:x'], ['GATEWAY:ADMIN']]) {
      const { status, body } = await ask(roles, '/api/gateway')
      expect([status, JSON.parse(body.toString())]).toEqual([403, withoutRole])
    }
    const { status, body } = await ask(['other', 'gateway:admin'], '/api/gateway')
    expect(status).toBe(200)
    expect(JSON.parse(body.toString())).toMatchObject({ development: false, people: [] })
  })

  test('no tokens are given out', async () => {
    const { adminUrl } = await startAdmin(production)
    const headers = { authorization: `Bearer ${await tokenFor(['gateway:admin'])}` }
    const { status, body } = await sendRequest(`${adminUrl}/api/token`, {
      method: 'POST',
      headers,
      body: '{"sub":"alice"}',
    })
    expect([status, JSON.parse(body.toString())]).toEqual([
      404,
      { code: 'NOT_FOUND', message: 'There is nothing here.' },
    ])
  })

  test('without a configured role every token is refused', async () => {
    const { adminUrl } = await startAdmin({ ...production, settings: {} })
    const authorization = `Bearer ${await tokenFor(['gateway:admin', 'undefined', ''])}`
    const requests = [
      { path: '/' },
      { path: '/', headers: { authorization } },
      { path: '/', headers: { accept: 'text/html' } },
      { path: '/session', method: 'POST', body: 'token=x' },
    ]
    for (const { path, ...options } of requests) {
      const { status, body } = await sendRequest(`${adminUrl}${path}`, options)
      expect([status, JSON.parse(body.toString())]).toEqual([
        403,
        { code: 'FORBIDDEN', message: 'Nobody is let in here.' },
      ])
    }
  })

  test('a gateway with token-validator off refuses every request here', async () => {
    const { adminUrl } = await startAdmin({ admin: {}, settings })
    const { status, body } = await sendRequest(`${adminUrl}/api/gateway`)
    expect([status, JSON.parse(body.toString())]).toEqual([403, withoutRole])
  })
})

describe('a browser', () => {
  const navigation = { accept: 'text/html,application/xhtml+xml' }
  const scriptHash = (page: string) => {
    const [, script = ''] = /<script>(.*)<\/script>/.exec(page) ?? []
    return hash('sha256', script, 'base64')
  }
  const signIn = (adminUrl: string, token: string, more: Record<string, string> = {}) =>
    sendRequest(`${adminUrl}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: adminUrl, ...more },
      body: new URLSearchParams({ token }).toString(),
    })

  test('gets a form with one field, the role that is needed and no other detail when it navigates', async () => {
    const { adminUrl } = await startAdmin(production)
    for (const path of ['/', '/anything']) {
      const { status, headers, body } = await sendRequest(`${adminUrl}${path}`, { headers: navigation })
      expect([status, headers['content-type']]).toEqual([401, 'text/html; charset=utf-8'])
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${scriptHash(body.toString())}'; ` +
          "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      )
      const page = body.toString()
      expect(page).toContain('<h1>Sign in</h1>')
      expect(page).not.toContain('role="alert"')
      expect(page.match(/<input/g)).toHaveLength(1)
      expect(page).toContain('<form method="post" action="/session">')
      expect(page).toContain('<p id="needed">The token needs the role <code>gateway:admin</code>.</p>')
      expect(page.replace('<code>gateway:admin</code>', '')).not.toMatch(/agentic|gateway|profile/i)
    }
  })

  test('signs in and gets a cookie that is not the token and that no script or other site can use', async () => {
    const { adminUrl, adminPort } = await startAdmin(production)
    const token = await tokenFor(['gateway:admin'])
    const { status, headers } = await signIn(adminUrl, token)
    expect([status, headers['location']]).toEqual([303, '/'])
    const [cookie = ''] = headers['set-cookie'] ?? []
    expect(cookie).toMatch(
      new RegExp(`^agentic-${adminPort}=[\\w-]{80}; HttpOnly; SameSite=Lax; Path=/; Max-Age=28800$`),
    )
    const [pair = ''] = cookie.split(';')
    const ask = (value: string) => sendRequest(`${adminUrl}/api/routes`, { headers: { cookie: value } })
    expect((await ask(`theme=dark; ${pair}`)).status).toBe(200)
    for (const wrong of [`${pair}x`, pair.slice(0, -1), `x${pair}`, `agentic-${adminPort}=`, token])
      expect((await ask(wrong)).status, wrong).toBe(401)
  })

  test.each([
    { reached: 'over https', origin: 'https://console.example', secure: true },
    { reached: 'over plain http', origin: 'http://console.example', secure: false },
    { reached: 'by a proxy that says https', proto: 'https', secure: true },
    { reached: 'by two proxies, the outer over https', proto: 'HTTPS, http', secure: true },
    { reached: 'by two proxies, the outer over http', proto: 'http, https', secure: false },
  ])('that comes $reached gets a cookie for https alone: $secure', async ({ origin, proto, secure }) => {
    const { adminUrl } = await startAdmin({
      ...production,
      settings: { ...settings, hosts: ['console.example'] },
    })
    const { status, headers } = await signIn(adminUrl, await tokenFor(['gateway:admin']), {
      ...(origin !== undefined && { origin, host: 'console.example' }),
      ...(proto !== undefined && { 'x-forwarded-proto': proto }),
    })
    const [, ...attributes] = headers['set-cookie']?.[0]?.split('; ') ?? []
    const common = ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=28800']
    expect([status, attributes]).toEqual([303, secure ? [...common, 'Secure'] : common])
  })

  test('with a bad token or none gets the form again with the reason, and no cookie', async () => {
    const { adminUrl } = await startAdmin(production)
    for (const [token, status, told] of [
      ['', 401, 'The token was not accepted.'],
      ['x', 401, 'The token was not accepted.'],
      [await tokenFor([]), 403, 'The token does not have the role that is needed here.'],
    ] as const) {
      const answer = await signIn(adminUrl, token)
      expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined])
      const page = answer.body.toString()
      expect(page).toContain('<form method="post" action="/session">')
      expect(page).toContain(`<p id="told" role="alert">${told}</p>`)
    }
  })

  test('is redirected from the address of the form to the page', async () => {
    const { adminUrl } = await startAdmin(production)
    const { status, headers } = await sendRequest(`${adminUrl}/session`, { headers: navigation })
    expect([status, headers['location']]).toEqual([303, '/'])
  })

  test('cannot use its cookie after it signed out', async () => {
    const { adminUrl, adminPort } = await startAdmin(production)
    const { headers } = await signIn(adminUrl, await tokenFor(['gateway:admin']))
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const ask = async () => (await sendRequest(`${adminUrl}/api/routes`, { headers: { cookie } })).status
    expect(await ask()).toBe(200)
    const signOut = (more: Record<string, string>) =>
      sendRequest(`${adminUrl}/session`, { method: 'DELETE', headers: { cookie, ...more } })
    expect((await signOut({ origin: 'https://evil.example' })).status).toBe(403)
    expect(await ask()).toBe(200)
    const done = await signOut({ origin: adminUrl })
    expect([done.status, done.headers['set-cookie']]).toEqual([
      204,
      [`agentic-${adminPort}=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0`],
    ])
    expect(await ask()).toBe(401)
  })

  test('is signed out when its token ends', async () => {
    const { adminUrl } = await startAdmin(production)
    const { headers } = await signIn(adminUrl, await tokenFor(['gateway:admin'], 2))
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const ask = async () => (await sendRequest(`${adminUrl}/api/routes`, { headers: { cookie } })).status
    expect(await ask()).toBe(200)
    expect(await eventually(ask, (status) => status !== 200)).toBe(401)
  })

  test('cannot sign in in development', async () => {
    const { adminUrl } = await startAdmin()
    const { status, body } = await signIn(adminUrl, 'x')
    expect([status, JSON.parse(body.toString())]).toEqual([
      404,
      { code: 'NOT_FOUND', message: 'There is nothing here.' },
    ])
  })
})

test('the gateway says who is signed in, by the name of the token or its subject', async () => {
  const { adminUrl } = await startAdmin(production)
  const userOf = async (claims: object) => {
    const token = await new SignJWT({ roles: ['gateway:admin'], ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer)
      .setAudience('agentic')
      .setSubject('u-1')
      .setExpirationTime('1m')
      .sign(Buffer.from(secret))
    const headers = { authorization: `Bearer ${token}` }
    const { body } = await sendRequest(`${adminUrl}/api/gateway`, { headers })
    return JSON.parse(body.toString()).user
  }
  expect(await userOf({})).toEqual({ subject: 'u-1', name: 'u-1' })
  expect(await userOf({ name: 'Ada Lovelace' })).toEqual({ subject: 'u-1', name: 'Ada Lovelace' })
  expect(await userOf({ name: 7, preferred_username: 'ada' })).toEqual({ subject: 'u-1', name: 'ada' })
})

test('a token is in no answer and in no line of the log', async () => {
  const { adminUrl, log } = await startAdmin(production)
  const token = await tokenFor(['gateway:admin'])
  const answers: string[] = []
  for (const path of paths.filter((each) => each !== '/api/feed')) {
    const { rawHeaders, body } = await sendRequest(
      `${adminUrl}${path}${path.includes('?') ? '&' : '?'}token=${token}`,
      {
        headers: { authorization: `Bearer ${token}` },
      },
    )
    answers.push(rawHeaders.join('\n'), body.toString())
  }
  const session = await sendRequest(`${adminUrl}/session`, { method: 'POST', body: `token=${token}` })
  answers.push(session.rawHeaders.join('\n'), session.body.toString(), JSON.stringify(log))
  for (const text of answers) expect(text).not.toContain(token)
})

test('unreachable keys are reported as such', async () => {
  const { adminUrl } = await startAdmin({
    admin: {},
    settings,
    config: {
      plugins: {
        'token-validator': {
          issuers: [{ issuer, jwks_uri: 'http://127.0.0.1:9/keys', algorithms: ['RS256'] }],
        },
      },
    },
  })
  const [, claims, signature] = (await tokenFor(['gateway:admin'])).split('.')
  const header = Buffer.from('{"alg":"RS256"}').toString('base64url')
  const { status, body } = await sendRequest(`${adminUrl}/`, {
    headers: { authorization: `Bearer ${header}.${claims}.${signature}` },
  })
  expect([status, JSON.parse(body.toString())]).toEqual([
    424,
    { code: 'UNAVAILABLE', message: 'Tokens cannot be checked at the moment.' },
  ])
})

describe('with viewers and operators', () => {
  const other = 'https://other.example.test'
  const both = [issuer, other].map((name) => ({
    issuer: name,
    audience: ['agentic'],
    algorithms: ['HS256'],
    hs256_secret: secret,
  }))
  const start = (roles: object) =>
    startAdmin({
      admin: {},
      settings: { roles },
      config: { plugins: { 'token-validator': { issuers: both } } },
    })
  const reads = [
    { method: 'GET', path: '/api/gateway' },
    { method: 'GET', path: '/api/recent' },
    { method: 'HEAD', path: '/api/routes' },
  ]
  const acts = [
    { method: 'POST', path: '/api/reload' },
    { method: 'POST', path: '/api/records?part=x' },
  ]
  type Asked = (typeof reads)[number]
  const statusOf = async (adminUrl: string, token: string, { method, path }: Asked) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const options = { method, headers, ...(method === 'POST' && { body: '[]' }) }
    return (await sendRequest(`${adminUrl}${path}`, options)).status
  }
  const allOf = (adminUrl: string, token: string, asked: readonly Asked[]) =>
    Promise.all(asked.map((one) => statusOf(adminUrl, token, one)))

  test('viewers read, operators also act', async () => {
    const { adminUrl } = await start({ viewer: { role: 'viewer' }, operator: { role: 'operator' } })
    const viewer = await tokenFor(['viewer'])
    expect(await allOf(adminUrl, viewer, reads)).toEqual([200, 200, 200])
    expect(await allOf(adminUrl, viewer, acts)).toEqual([403, 403])
    const operator = await tokenFor(['operator'])
    expect(await allOf(adminUrl, operator, reads)).toEqual([200, 200, 200])
    expect(await allOf(adminUrl, operator, acts)).toEqual([200, 204])
    const nobody = await tokenFor(['other'])
    expect(await allOf(adminUrl, nobody, [...reads, ...acts])).toEqual([403, 403, 403, 403, 403])
  })

  test('the sign-in page says which role reads and which one acts', async () => {
    const needed = async (roles: object) => {
      const { adminUrl } = await start(roles)
      const { body } = await sendRequest(`${adminUrl}/`, { headers: { accept: 'text/html' } })
      return /<p id="needed">(.*)<\/p>/.exec(body.toString())?.[1]
    }
    const viewer = { role: 'viewer' }
    const operator = { role: 'a<b>&"c"' }
    expect(await needed({ viewer, operator })).toBe(
      'To read, the token needs the role <code>viewer</code>; to act as well, <code>a&lt;b&gt;&amp;&quot;c&quot;</code>.',
    )
    expect(await needed({ viewer })).toBe('To read, the token needs the role <code>viewer</code>.')
    expect(await needed({ operator: viewer })).toBe('The token needs the role <code>viewer</code>.')
  })

  test('without an operator nobody acts, and without a viewer operators read', async () => {
    const viewing = await start({ viewer: { role: 'viewer' } })
    expect(await allOf(viewing.adminUrl, await tokenFor(['viewer', 'operator']), acts)).toEqual([403, 403])
    const operating = await start({ operator: { role: 'operator' } })
    expect(await allOf(operating.adminUrl, await tokenFor(['viewer']), reads)).toEqual([403, 403, 403])
    expect(await allOf(operating.adminUrl, await tokenFor(['operator']), reads)).toEqual([200, 200, 200])
  })

  test('a role counts only in tokens of its issuers', async () => {
    const { adminUrl } = await start({
      viewer: { role: 'viewer' },
      operator: { role: 'operator', issuers: [other] },
    })
    const foreign = await tokenFor(['operator'])
    expect(await allOf(adminUrl, foreign, [...reads, ...acts])).toEqual([403, 403, 403, 403, 403])
    expect(await allOf(adminUrl, await tokenFor(['operator'], 60, other), acts)).toEqual([200, 204])
    expect(await allOf(adminUrl, await tokenFor(['operator', 'viewer']), acts)).toEqual([403, 403])
  })

  test('a viewer signs in with the form and cannot act with the session', async () => {
    const { adminUrl } = await start({ viewer: { role: 'viewer' }, operator: { role: 'operator' } })
    const signedIn = await sendRequest(`${adminUrl}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `token=${await tokenFor(['viewer'])}`,
    })
    expect(signedIn.status).toBe(303)
    const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';')
    expect((await sendRequest(`${adminUrl}/api/gateway`, { headers: { cookie } })).status).toBe(200)
    const reload = await sendRequest(`${adminUrl}/api/reload`, { method: 'POST', headers: { cookie } })
    expect(reload.status).toBe(403)
  })

  test('viewers see neither paths of addresses nor the text of rules, operators do', async () => {
    const texts = ['target-path', 'listed-path', 'collector-path', 'collector-query', 'apollo', 'fault-word']
    const file = 'gateway.yaml'
    const read = () =>
      parseConfig('plugins: { prompt-sanitize: { rules: [{ name: a, keywords: fault-word }] } }', {
        file,
        env: {},
      })
    const { adminUrl, url } = await startAdmin({
      admin: {},
      source: { file, read },
      settings: { roles: { viewer: { role: 'viewer' }, operator: { role: 'operator' } } },
      config: {
        plugins: {
          'token-validator': { issuers: both },
          'prompt-sanitize': {
            rules: [
              { name: 'project', keywords: ['apollo'], action: 'reject' },
              { name: 'number', regex: 'apollo-[0-9]' },
            ],
          },
          'otel-audit': {
            enabled: false,
            otlp_endpoint: 'http://127.0.0.1:9/collector-path?collector-query=1',
          },
        },
        upstreams: { listed: { targets: ['http://127.0.0.1:9/listed-path', 'http://127.0.0.1:9'] } },
        routes: [
          { id: 'one', method: 'GET', path: '/one', target: 'http://127.0.0.1:9/target-path' },
          { id: 'many', method: 'GET', path: '/many', upstream: 'listed' },
        ],
      },
    })
    const ask = async (role: string, path: string, method = 'GET') => {
      const authorization = `Bearer ${await tokenFor([role])}`
      return (await sendRequest(`${adminUrl}${path}`, { method, headers: { authorization } })).body.toString()
    }
    await ask('operator', '/api/reload', 'POST')
    const authorization = `Bearer ${await tokenFor(['operator'])}`
    const headers = { authorization, 'x-tenant-id': 'acme', 'x-correlation-id': 'c-1' }
    await sendRequest(`${url}/one`, { headers })
    const all = [
      ...['/openapi.json', '/api/gateway', '/api/routes', '/api/openapi?route=one', '/api/recent'],
      ...['/api/requests', '/api/usage', '/api/records?correlation_id=c-1'],
    ]
    const shownTo = async (role: string) => {
      const answers = (await Promise.all(all.map((path) => ask(role, path)))).join('\n')
      return texts.filter((text) => answers.includes(text))
    }
    expect([await shownTo('viewer'), await shownTo('operator')]).toEqual([[], texts])
    const { routes, upstreams, plugins } = JSON.parse(await ask('viewer', '/api/routes'))
    const configurationOf = (name: string) =>
      plugins.find((plugin: { name: string }) => plugin.name === name).configuration
    expect(routes[0].target).toBe('http://127.0.0.1:9/[hidden]')
    expect(upstreams[0].targets.map((target: { url: string }) => target.url)).toEqual([
      'http://127.0.0.1:9/[hidden]',
      'http://127.0.0.1:9',
    ])
    expect(configurationOf('otel-audit').otlp_endpoint).toBe('http://127.0.0.1:9/[hidden]')
    expect(configurationOf('prompt-sanitize').rules).toEqual([
      { name: 'project', keywords: ['[hidden]'], action: 'reject' },
      { name: 'number', regex: '[hidden]', action: 'redact' },
    ])
    expect(configurationOf('token-validator').issuers[0].issuer).toBe(issuer)
    expect(JSON.parse(await ask('viewer', '/api/gateway')).configuration.lastReload).toEqual({
      at: expect.stringMatching(/Z$/),
      result: 'refused',
      faults: ['only operators see the faults'],
    })
  })
})
