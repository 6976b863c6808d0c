import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configText } from '@agentic-rest/testing/config-text'
import { headerValues, type RequestOptions, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { SignJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseConfig } from '../src/index.ts'
import { expectRefusal } from './harness/expect-refusal.ts'
import { startSupervisor } from './workers/start-supervisor.ts'

const secret = 's'.repeat(32)
const issuer = 'https://id.example.test'
const plugins = {
  'token-validator': {
    issuers: [{ issuer, audience: ['agentic'], algorithms: ['HS256'], hs256_secret: secret }],
  },
}

function tokenOf(claims: Record<string, unknown> = {}): Promise<string> {
  return new SignJWT({ tenant_id: 'acme', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience('agentic')
    .setSubject('bob')
    .setExpirationTime('5 minutes')
    .sign(Buffer.from(secret))
}

async function configOf(gateway: Record<string, unknown> = { approvals_page: {} }) {
  const upstream = await startUpstream((_request, response) =>
    answerJson(response, { body: { approvalId: '1', state: 'pending' } }),
  )
  const target = upstream.url
  const routes = [
    { id: 'list-approvals', method: 'GET', path: '/approvals', target },
    { id: 'show-approval', method: 'GET', path: '/approvals/{approvalId}', target },
    { id: 'approve', method: 'POST', path: '/approvals/{approvalId}/approve', target },
    { id: 'item', method: 'GET', path: '/items/{itemId}', target },
  ]
  return { upstream, config: { gateway, plugins, routes } }
}

async function start(gateway?: Record<string, unknown>) {
  const { upstream, config } = await configOf(gateway)
  const { url, audit } = await startGateway(config)
  return { url, audit, upstream, requests: upstream.requests }
}

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const page = { 'x-agentic-page': 'approvals', 'sec-fetch-site': 'same-origin', accept: 'application/json' }

/** Signs in like the page; resolves with the `Cookie` header of the browser. */
async function signIn(url: string, token: string, before = ''): Promise<string> {
  const headers = { ...page, origin: url, authorization: `Bearer ${token}`, cookie: before }
  const answer = await sendRequest(`${url}/approvals/session`, { method: 'POST', headers })
  expect(answer.status).toBe(204)
  const [cookie = ''] = headerValues(answer, 'set-cookie')
  return cookie.slice(0, cookie.indexOf(';'))
}

describe('the page', () => {
  test('is what a browser gets that opens an approval, without a token', async () => {
    const { url, requests } = await start()
    const answer = await sendRequest(`${url}/approvals/1`, { headers: browser })
    expect(answer.status).toBe(200)
    expect(headerValues(answer, 'content-type')).toEqual(['text/html; charset=utf-8'])
    expect(answer.body.toString()).toMatch(/^<!doctype html>\n/)
    expect(requests).toHaveLength(0)
    const head = await sendRequest(`${url}/approvals/1`, { method: 'HEAD', headers: browser })
    expect([head.status, head.body.length, headerValues(head, 'content-length')]).toEqual([
      200,
      0,
      [String(answer.body.length)],
    ])
  })

  test('runs its own script only, in no frame, and is kept by no cache', async () => {
    const { url } = await start()
    const { headers, body } = await sendRequest(`${url}/approvals/1`, { headers: browser })
    const text = body.toString()
    const sourceOf = (tag: string) => {
      const inner = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(text)?.[1] ?? ''
      return `'sha256-${hash('sha256', inner, 'base64')}'`
    }
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src ${sourceOf('script')}; style-src ${sourceOf('style')}; connect-src 'self'; ` +
        "form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/)
  })

  test.each<[string, RequestOptions, string]>([
    ['an API client', { headers: { accept: 'application/json' } }, '/approvals/1'],
    ['curl', { headers: { accept: '*/*' } }, '/approvals/1'],
    ['a client without Accept', {}, '/approvals/1'],
    ['a client that refuses HTML', { headers: { accept: 'text/html;q=0, */*' } }, '/approvals/1'],
    ['a form', { method: 'POST', headers: browser }, '/approvals/1/approve'],
    ['a browser at another path', { headers: browser }, '/items/1'],
    ['a browser at the list', { headers: browser }, '/approvals'],
  ])('%s sees what it sees without the page', async (_who, options, path) => {
    const { url: on } = await start()
    const { url: off } = await start({})
    const seen = async (url: string) => {
      const { status, body, rawHeaders } = await sendRequest(`${url}${path}`, options)
      return { status, body: body.toString(), rawHeaders: rawHeaders.filter((text) => !/GMT$/.test(text)) }
    }
    expect(await seen(on)).toEqual(await seen(off))
    expect((await seen(on)).status).toBe(401)
  })

  test('is off by default, and without a route for approvals', async () => {
    const { url } = await start({})
    expectRefusal(await sendRequest(`${url}/approvals/1`, { headers: browser }), 401, 'MISSING_TOKEN')
    const { url: bare } = await startGateway({ gateway: { approvals_page: {} }, plugins, routes: [] })
    expectRefusal(await sendRequest(`${bare}/approvals/1`, { headers: browser }), 404, 'ROUTE_NOT_FOUND')
  })
})

describe('a session', () => {
  test('is a cookie that scripts and other sites cannot use, without the token in it', async () => {
    const { url } = await start()
    const token = await tokenOf()
    const headers = { ...page, authorization: `Bearer ${token}` }
    const send = (more: Record<string, string>) =>
      sendRequest(`${url}/approvals/session?next=https://evil.example`, {
        method: 'POST',
        headers: { ...headers, ...more },
      })
    const answer = await send({})
    const { port } = new URL(url)
    expect(headerValues(answer, 'set-cookie')).toEqual([
      expect.stringMatching(
        new RegExp(`^agentic-${port}=[\\w-]{80}; HttpOnly; SameSite=Lax; Path=/; Max-Age=28800$`),
      ),
    ])
    expect(String(answer.headers['set-cookie'])).not.toContain(token.slice(-20))
    // Nothing that the address names is opened.
    expect([answer.status, answer.headers['location'], answer.body.length]).toEqual([204, undefined, 0])
    const secure = await send({ origin: `https://127.0.0.1:${port}` })
    expect(String(secure.headers['set-cookie'])).toMatch(
      new RegExp(
        `^__Host-agentic-${port}=[\\w-]{80}; HttpOnly; SameSite=Lax; Path=/; Max-Age=28800; Secure$`,
      ),
    )
    const named = await send({ origin: 'https://agents.example', host: 'agents.example' })
    expect(String(named.headers['set-cookie'])).toMatch(/^__Host-agentic=[\w-]{80}; /)
  })

  test('makes reading and deciding ordinary requests of its person', async () => {
    const { url, requests, audit } = await start()
    const cookie = `other=1; ${await signIn(url, await tokenOf())}; more=2`
    const shown = await sendRequest(`${url}/approvals/1`, { headers: { ...page, cookie } })
    const decided = await sendRequest(`${url}/approvals/1/approve`, {
      method: 'POST',
      headers: { ...page, cookie, origin: url, 'content-type': 'application/json' },
      body: '{}',
    })
    expect([shown.status, decided.status]).toEqual([200, 200])
    expect(requests.map(({ headers }) => headers['x-actor-subject'])).toEqual(['bob', 'bob'])
    expect(requests.map(({ headers }) => headers['authorization'])).toEqual([
      expect.stringMatching(/^Bearer ey/),
      expect.stringMatching(/^Bearer ey/),
    ])
    // The service gets the cookies of others and not this one.
    expect(requests.map(({ headers }) => headers.cookie)).toEqual(['other=1; more=2', 'other=1; more=2'])
    expect(audit.map(({ operation, actor_id }) => [operation, actor_id])).toEqual([
      ['show-approval', 'bob'],
      ['approve', 'bob'],
    ])
  })

  test.each<[string, Record<string, string>]>([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another host of the site', { 'sec-fetch-site': 'same-site' }],
    ['a page of another origin in an old browser', { origin: 'https://evil.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a form, a picture or a link', { 'x-agentic-page': '' }],
  ])('gives %s nothing', async (_who, more) => {
    const { url, requests } = await start()
    const cookie = await signIn(url, await tokenOf())
    const { 'x-agentic-page': mark, ...others } = { ...page, ...more }
    const headers = { ...others, ...(mark !== '' && { 'x-agentic-page': mark }) }
    for (const [method, path] of [
      ['GET', '/approvals/1'],
      ['POST', '/approvals/1/approve'],
    ] as const)
      expectRefusal(
        await sendRequest(`${url}${path}`, { method, headers: { ...headers, cookie } }),
        401,
        'MISSING_TOKEN',
      )
    for (const method of ['POST', 'DELETE'])
      expectRefusal(
        await sendRequest(`${url}/approvals/session`, {
          method,
          headers: { ...headers, authorization: 'Bearer x' },
        }),
        405,
        'METHOD_NOT_ALLOWED',
      )
    expect(requests).toHaveLength(0)
  })

  test('is never offered to another origin by CORS', async () => {
    const origin = 'http://console.example'
    const { url } = await start({ approvals_page: {}, cors: { origins: [origin] } })
    const { headers } = await sendRequest(`${url}/approvals/1/approve`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect(String(headers['access-control-allow-headers']).toLowerCase()).not.toContain('agentic-page')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('counts on no other path, and never replaces a token', async () => {
    const { url, requests } = await start()
    const cookie = await signIn(url, await tokenOf())
    expectRefusal(await sendRequest(`${url}/items/1`, { headers: { ...page, cookie } }), 401, 'MISSING_TOKEN')
    const forged = { ...page, cookie, authorization: 'Bearer forged' }
    expectRefusal(await sendRequest(`${url}/approvals/1`, { headers: forged }), 401, 'INVALID_TOKEN')
    expect(requests).toHaveLength(0)
  })

  test('with a token that is not valid, or a changed cookie, is none', async () => {
    const { url } = await start()
    const forged = await sendRequest(`${url}/approvals/session`, {
      method: 'POST',
      headers: { ...page, authorization: 'Bearer forged' },
    })
    expectRefusal(forged, 401, 'INVALID_TOKEN')
    expect(forged.headers['set-cookie']).toBeUndefined()
    // The first bits of the last character: the others may be padding.
    const changed = (await signIn(url, await tokenOf())).replace(/.$/, (last) => (last === 'A' ? 'w' : 'A'))
    expectRefusal(
      await sendRequest(`${url}/approvals/1`, { headers: { ...page, cookie: changed } }),
      401,
      'MISSING_TOKEN',
    )
  })

  test('ends by signing out: the cookie opens no more, also for whoever has a copy; others stay', async () => {
    const { url, requests } = await start()
    const [cookie, other] = [await signIn(url, await tokenOf()), await signIn(url, await tokenOf())]
    const read = (sent: string) => sendRequest(`${url}/approvals/1`, { headers: { ...page, cookie: sent } })
    expect((await read(cookie)).status).toBe(200)
    await sendRequest(`${url}/approvals/session`, { method: 'DELETE', headers: { ...page, cookie } })
    expectRefusal(await read(cookie), 401, 'MISSING_TOKEN')
    expectRefusal(await read(`${cookie}=`), 401, 'MISSING_TOKEN')
    expect((await read(other)).status).toBe(200)
    expect(requests).toHaveLength(2)
  })

  test('ends when its browser signs in again', async () => {
    const { url } = await start()
    const before = await signIn(url, await tokenOf())
    const cookie = await signIn(url, await tokenOf(), before)
    const read = (sent: string) => sendRequest(`${url}/approvals/1`, { headers: { ...page, cookie: sent } })
    expectRefusal(await read(before), 401, 'MISSING_TOKEN')
    expect((await read(cookie)).status).toBe(200)
  })

  test('ends in the browser by signing out', async () => {
    const { url } = await start()
    const answer = await sendRequest(`${url}/approvals/session`, { method: 'DELETE', headers: page })
    expect(answer.status).toBe(204)
    expect(headerValues(answer, 'set-cookie')).toEqual([
      `agentic-${new URL(url).port}=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0`,
    ])
  })

  test('needs a token, which may be longer than a cookie', async () => {
    const { url } = await start()
    const send = (method: string, more = {}) =>
      sendRequest(`${url}/approvals/session`, { method, headers: { ...page, ...more } })
    expectRefusal(await send('POST'), 401, 'MISSING_TOKEN')
    expectRefusal(await send('POST', { authorization: 'Basic eA==' }), 401, 'MISSING_TOKEN')
    const groups = Array.from({ length: 32 }, (_, n) => hash('sha512', String(n)))
    const cookie = await signIn(url, await tokenOf({ groups }))
    expect((await sendRequest(`${url}/approvals/1`, { headers: { ...page, cookie } })).status).toBe(200)
  })

  test('stays with the gateway: no service sees a cookie of it, on any path', async () => {
    const { url, requests } = await start()
    const own = await signIn(url, await tokenOf())
    const cookie = `${own}; agentic-8090=x; a=1; __Host-agentic=y; agentic-theme=dark`
    const authorization = `Bearer ${await tokenOf()}`
    await sendRequest(`${url}/items/1`, { headers: { cookie, authorization } })
    expect(requests.map(({ headers }) => headers.cookie)).toEqual(['a=1; agentic-theme=dark'])
  })

  test('is bound to the name of the host', async () => {
    const { url } = await start()
    const cookie = await signIn(url, await tokenOf())
    const headers = { ...page, cookie, host: `localhost:${new URL(url).port}` }
    expectRefusal(await sendRequest(`${url}/approvals/1`, { headers }), 401, 'MISSING_TOKEN')
  })

  test('is counted', async () => {
    const { url } = await start()
    const count = async () => {
      const { body } = await sendRequest(`${url}/metrics`)
      return /^agentic_gateway_sessions_active\{listener="main"\} (\d+)$/m.exec(body.toString())?.[1]
    }
    expect(await count()).toBe('0')
    const cookie = await signIn(url, await tokenOf())
    expect(await count()).toBe('1')
    await sendRequest(`${url}/approvals/session`, { method: 'DELETE', headers: { ...page, cookie } })
    expect(await count()).toBe('0')
  })
})

describe('several processes', () => {
  test('the workers of one gateway open the sessions of each other', async () => {
    const { config, upstream } = await configOf({ approvals_page: {}, workers: 2 })
    const { url } = await startSupervisor(config)
    const cookie = await signIn(url, await tokenOf())
    // Connections go to the workers in turn.
    for (let count = 0; count < 4; count++)
      expect((await sendRequest(`${url}/approvals/1`, { headers: { ...page, cookie } })).status).toBe(200)
    expect(upstream.requests).toHaveLength(4)
    // And none opens a session that one of them has ended.
    await sendRequest(`${url}/approvals/session`, { method: 'DELETE', headers: { ...page, cookie } })
    for (let count = 0; count < 4; count++)
      expectRefusal(
        await sendRequest(`${url}/approvals/1`, { headers: { ...page, cookie } }),
        401,
        'MISSING_TOKEN',
      )
    expect(upstream.requests).toHaveLength(4)
  })

  test('a reload may replace the file that seals them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'approvals-page-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [old = '', next = ''] = ['old', 'next'].map((name) => {
      const file = join(folder, name)
      writeFileSync(file, `${name.repeat(20)}\n`)
      return file
    })
    const { config } = await configOf()
    let files = [old]
    const withFiles = (key_files: string[]) => ({ ...config, gateway: { approvals_page: { key_files } } })
    const read = () => parseConfig(configText(withFiles(files)), { file: 'gateway.yaml', env: {} })
    const { url, gateway } = await startGateway(withFiles([old]), { source: { file: 'gateway.yaml', read } })
    const cookie = await signIn(url, await tokenOf())
    const statusWith = async (key_files: string[]) => {
      files = key_files
      expect(await gateway.reload()).toMatchObject({ result: 'applied' })
      return (await sendRequest(`${url}/approvals/1`, { headers: { ...page, cookie } })).status
    }
    expect(await statusWith([next, old])).toBe(200)
    expect(await statusWith([next])).toBe(401)
  })

  test('a short or missing file is refused with its key and not with its content', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'approvals-page-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const short = join(folder, 'short')
    writeFileSync(short, 'tooshort')
    const key = 'gateway.approvals_page.key_files'
    await expect(start({ approvals_page: { key_files: [short] } })).rejects.toThrow(
      `${key}[0]: its content must have at least 32 characters`,
    )
    await expect(start({ approvals_page: { key_files: [join(folder, 'none')] } })).rejects.toThrow(
      `${key}[0]: cannot read the file (ENOENT)`,
    )
  })
})
