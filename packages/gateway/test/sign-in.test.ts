import { gzipSync } from 'node:zlib'
import type { TestConfig } from '@agentic-rest/testing/config-text'
import { eventually } from '@agentic-rest/testing/eventually'
import { type Answer, headerValues, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { type ProviderServer, startProvider } from '@agentic-rest/testing/start-provider'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectRefusal } from './harness/expect-refusal.ts'

const pageHeaders = {
  'x-agentic-page': 'approvals',
  'sec-fetch-site': 'same-origin',
  accept: 'application/json',
}

interface Setting {
  readonly gateway?: object
  readonly signIn?: object
  readonly metadata?: object
  readonly validator?: object
  /** Further headers of the service. */
  readonly answered?: Record<string, string>
}

async function start(more: Setting = {}) {
  const provider = await startProvider({ ...more.metadata })
  onTestFinished(() => provider.close())
  const upstream = await startUpstream((_request, response) => {
    response.setHeaders(new Map(Object.entries(more.answered ?? {})))
    answerJson(response, { body: { approvals: [] } })
  })
  const config: TestConfig = {
    gateway: {
      approvals_page: {},
      sign_in: { issuer: provider.url, client_id: 'agentic-gateway', audience: 'agentic', ...more.signIn },
      ...more.gateway,
    },
    plugins: {
      'token-validator': {
        issuers: [{ issuer: provider.url, audience: ['agentic'], algorithms: ['EdDSA'] }],
        ...more.validator,
      },
      'otel-audit': { exporter: 'stdout' },
    },
    routes: [
      { id: 'list-approvals', method: 'GET', path: '/approvals', target: upstream.url },
      { id: 'show-approval', method: 'GET', path: '/approvals/{approvalId}', target: upstream.url },
    ],
  }
  return { provider, upstream, ...(await startGateway(config)) }
}

/** A browser: it keeps cookies by name, and follows nothing by itself. */
class Browser {
  readonly cookies = new Map<string, string>()

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async get(url: string | URL, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#keep(
      await sendRequest(String(url), { headers: { accept: 'text/html', cookie: this.cookie, ...headers } }),
    )
  }

  async post(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#keep(
      await sendRequest(url, { method: 'POST', headers: { cookie: this.cookie, ...headers } }),
    )
  }

  #keep(answer: Answer): Answer {
    for (const line of headerValues(answer, 'set-cookie')) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (line.includes('Max-Age=0')) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }
}

const locationOf = ({ headers }: Answer) => String(headers['location'])

const PUBLIC = 'https://agents.example'
/** A proxy that ends TLS and says nothing about it. */
const behindProxy = { host: 'agents.example' }
/** The address of the gateway behind the proxy. */
const inside = (url: string, address: string | URL) => `${url}${String(address).slice(PUBLIC.length)}`

/** Signs somebody in from the button to the way back. */
async function signIn(
  url: string,
  provider: ProviderServer,
  { browser = new Browser(), to = '/approvals/1', sub = 'bob' } = {},
) {
  const begun = await browser.get(`${url}/sign-in?return=${encodeURIComponent(to)}`)
  expect(begun.status).toBe(303)
  const back = provider.signIn(locationOf(begun), sub)
  return { browser, begun, back, answer: await browser.get(back) }
}

const read = (url: string, browser: Browser) => browser.get(`${url}/approvals/1`, pageHeaders)

function expectSentence({ status, headers, body }: Answer, expected: number) {
  expect([status, headers['content-type']]).toEqual([expected, 'text/html; charset=utf-8'])
  expect(body.toString().match(/<p>[^<]+<\/p>/g)).toHaveLength(1)
}

describe('signing in', () => {
  test('asks the provider for a code with PKCE, state and nonce, and opens a session of its person', async () => {
    const { url, provider, upstream, audit } = await start()
    const { browser, begun, answer } = await signIn(url, provider)
    const asked = new URL(locationOf(begun))
    expect(`${asked.origin}${asked.pathname}`).toBe(`${provider.url}/authorize`)
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'agentic-gateway',
      redirect_uri: `${url}/sign-in/callback`,
      scope: 'openid profile',
      audience: 'agentic',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect([answer.status, locationOf(answer)]).toEqual([303, '/approvals/1'])
    expect(headerValues(answer, 'set-cookie')).toEqual([
      expect.stringMatching(/^agentic-\d+=[\w-]{80}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=28800$/),
    ])
    expect((await read(url, browser)).status).toBe(200)
    expect(upstream.requests.map(({ headers }) => [headers['x-actor-subject'], headers.cookie])).toEqual([
      ['bob', undefined],
    ])
    expect(audit[0]).toMatchObject({
      event_type: 'agentic.session.opened',
      actor_id: 'bob',
      outcome: 'success',
      attributes: { issuer: provider.url, token_sub: 'bob', listener: 'main' },
    })
  })

  test('works with a secret, other scopes, and a provider that sends no iss', async () => {
    const { url, provider } = await start({
      metadata: { authorization_response_iss_parameter_supported: false },
      signIn: { client_secret: 's'.repeat(40), scopes: ['openid', 'email'], session_hours: 1 },
    })
    const browser = new Browser()
    const begun = await browser.get(`${url}/sign-in`)
    const back = provider.signIn(locationOf(begun), 'bob')
    back.searchParams.delete('iss')
    const answer = await browser.get(back)
    expect([answer.status, locationOf(answer)]).toEqual([303, '/approvals'])
    expect(String(answer.headers['set-cookie'])).toContain('Max-Age=3600')
    expect(provider.asked[0]?.get('client_secret')).toBe('s'.repeat(40))
  })

  test('has a Secure cookie at an https origin, also behind a proxy that does not name the scheme', async () => {
    const { url, provider } = await start({ signIn: { public_url: PUBLIC } })
    const browser = new Browser()
    const begun = await browser.get(`${url}/sign-in`, behindProxy)
    const back = provider.signIn(locationOf(begun), 'bob')
    expect(back.href.startsWith(`${PUBLIC}/sign-in/callback?`)).toBe(true)
    const answer = await browser.get(inside(url, back), behindProxy)
    for (const each of [begun, answer])
      expect(headerValues(each, 'set-cookie')).toEqual([
        expect.stringMatching(/^__Host-agentic(-sign-in)?=.*; HttpOnly; SameSite=Lax; Path=\/; .*; Secure$/),
      ])
    expect((await browser.get(`${url}/approvals/1`, { ...pageHeaders, ...behindProxy })).status).toBe(200)
  })

  test('sends a browser at another name to the public origin, once: a proxy may change Host for ever', async () => {
    const { url, log } = await start({ signIn: { public_url: PUBLIC } })
    const sent = await new Browser().get(`${url}/sign-in?return=/approvals/1`)
    const there = locationOf(sent)
    expect([sent.status, there.startsWith(`${PUBLIC}/sign-in?return=%2Fapprovals%2F1`)]).toEqual([303, true])
    expectSentence(await new Browser().get(inside(url, there)), 400)
    expect(log.filter(({ msg }) => msg === 'a sign-in was refused').map(({ reason }) => reason)).toEqual([
      'Host is not that of public_url: the proxy in front must pass Host on',
    ])
    expect((await new Browser().get(inside(url, there), behindProxy)).status).toBe(303)
  })

  test('needs public_url where Host is not a loopback name', async () => {
    const { url, log } = await start()
    expectSentence(await new Browser().get(`${url}/sign-in`, behindProxy), 400)
    expect(log.filter(({ msg }) => msg === 'a sign-in was refused').map(({ reason }) => reason)).toEqual([
      'Host is not a loopback name: public_url is needed',
    ])
    const port = new URL(url).port
    expect((await new Browser().get(`${url}/sign-in`, { host: `localhost:${port}` })).status).toBe(303)
  })

  test('takes an ID token of a clock that is off by 40 seconds; token-validator judges the access token', async () => {
    for (const seconds of [40, -40]) {
      const { url, provider } = await start()
      const now = Math.floor(Date.now() / 1000) + seconds
      provider.faults.idClaims = { iat: now, exp: now + (seconds < 0 ? 30 : 300) }
      expect((await signIn(url, provider)).answer.status).toBe(303)
    }
  })

  test.each([40, -40])('works with a clock that is off by %i seconds', async (clockSeconds) => {
    const { url, provider } = await start({ validator: { clock_skew_seconds: 60 } })
    provider.faults.clockSeconds = clockSeconds
    const { browser, answer } = await signIn(url, provider)
    expect(answer.status).toBe(303)
    expect((await read(url, browser)).status).toBe(200)
  })

  test('takes a token with 4 kB of groups, an audience list and azp', async () => {
    const { url, provider } = await start()
    provider.faults.claims = {
      groups: Array.from({ length: 100 }, (_, n) => `group-with-a-long-name-${String(n).padStart(17, '0')}`),
      azp: 'agentic-gateway',
      aud: ['agentic', 'account'],
    }
    const browser = new Browser()
    const begun = await browser.get(`${url}/sign-in`)
    expect((await browser.get(provider.signIn(locationOf(begun), 'bob'))).status).toBe(303)
    expect((await read(url, browser)).status).toBe(200)
  })

  test('goes on after the provider has changed its keys', async () => {
    const { url, provider } = await start()
    await signIn(url, provider)
    await provider.issuer.rotate()
    const { answer, browser } = await signIn(url, provider)
    expect(answer.status).toBe(303)
    expect((await read(url, browser)).status).toBe(200)
  })

  test('is refused where token-validator does not take the access token, with the reason in log and record', async () => {
    const { url, provider, log, audit } = await start()
    provider.faults.claims = { iss: 'https://other.example' }
    const browser = new Browser()
    const begun = await browser.get(`${url}/sign-in`)
    expectSentence(await browser.get(provider.signIn(locationOf(begun), 'bob')), 400)
    expect(log.filter(({ msg }) => msg === 'a sign-in was refused')).toHaveLength(1)
    expect(audit.map(({ event_type, outcome }) => [event_type, outcome])).toEqual([
      ['agentic.session.refused', 'error'],
    ])
  })
})

describe('an attack gets nothing', () => {
  const noSession = async (url: string, browser: Browser) =>
    expectRefusal(await read(url, browser), 401, 'MISSING_TOKEN')

  test('login CSRF: the way back of another browser', async () => {
    const { url, provider } = await start()
    const attacker = new Browser()
    const begun = await attacker.get(`${url}/sign-in`)
    const back = provider.signIn(locationOf(begun), 'attacker')
    const victim = new Browser()
    expectSentence(await victim.get(back), 400)
    // A victim that has begun itself does not take it either, and its own way goes on.
    const own = await victim.get(`${url}/sign-in`)
    expectSentence(await victim.get(back), 400)
    await noSession(url, victim)
    expect((await victim.get(provider.signIn(locationOf(own), 'bob'))).status).toBe(303)
  })

  test('the code of another session, with the own state', async () => {
    const { url, provider } = await start()
    const stolen = provider.signIn(locationOf(await new Browser().get(`${url}/sign-in`)), 'bob')
    const browser = new Browser()
    const own = provider.signIn(locationOf(await browser.get(`${url}/sign-in`)), 'eve')
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expectSentence(await browser.get(own), 400)
    await noSession(url, browser)
  })

  test('a replayed way back, also at a provider that takes codes twice', async () => {
    const { url, provider } = await start()
    provider.faults.takesCodesTwice = true
    const { browser, back } = await signIn(url, provider)
    const copy = new Browser()
    for (const [name, value] of browser.cookies) if (name.endsWith('-sign-in')) copy.cookies.set(name, value)
    expectSentence(await copy.get(back), 400)
    await noSession(url, copy)
    expect(provider.asked).toHaveLength(1)
  })

  test.each([
    ['another issuer', (back: URL) => back.searchParams.set('iss', 'https://evil.example')],
    ['no issuer', (back: URL) => back.searchParams.delete('iss')],
    ['two states', (back: URL) => back.searchParams.append('state', 'x')],
    ['a JARM response', (back: URL) => back.searchParams.set('response', 'x')],
    ['an ID token', (back: URL) => back.searchParams.set('id_token', 'x')],
    ['an error', (back: URL) => back.searchParams.set('error', 'access_denied')],
    ['no code', (back: URL) => back.searchParams.delete('code')],
    ['an empty code', (back: URL) => back.searchParams.set('code', '')],
  ])('a way back with %s', async (_what, change) => {
    const { url, provider } = await start()
    const browser = new Browser()
    const back = provider.signIn(locationOf(await browser.get(`${url}/sign-in`)), 'bob')
    change(back)
    expectSentence(await browser.get(back), 400)
    await noSession(url, browser)
    expect(provider.asked).toHaveLength(0)
    // Nor can it make the provider look away.
    expect(JSON.parse((await sendRequest(`${url}/readyz`)).body.toString())).toEqual({
      status: 'ready',
      degraded: [],
    })
  })

  test('a way back as a form', async () => {
    const { url } = await start()
    const answer = await new Browser().post(`${url}/sign-in/callback`)
    expectSentence(answer, 405)
    expect(answer.headers['allow']).toBe('GET')
  })

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'an open redirect to %s',
    async (to) => {
      const { url, provider } = await start()
      expect(locationOf((await signIn(url, provider, { to })).answer)).toBe('/approvals')
    },
  )

  test('fixation: a planted session is not the one of the person', async () => {
    const { url, provider } = await start()
    const { browser: attacker } = await signIn(url, provider, { sub: 'attacker' })
    const victim = new Browser()
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value)
    const before = victim.cookie
    await signIn(url, provider, { browser: victim, sub: 'bob' })
    expect(victim.cookie).not.toBe(before)
    // The planted session has ended with it.
    await noSession(url, attacker)
    expect((await read(url, victim)).status).toBe(200)
  })

  test('a stolen cookie after the sign-out', async () => {
    const { url, provider, audit } = await start()
    const { browser } = await signIn(url, provider)
    const thief = new Browser()
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
    expect((await read(url, thief)).status).toBe(200)
    const out = await browser.post(`${url}/sign-out`, { ...pageHeaders, origin: url })
    const { next } = JSON.parse(out.body.toString())
    expect([
      out.status,
      new URL(next).pathname,
      new URL(next).searchParams.get('post_logout_redirect_uri'),
    ]).toEqual([200, '/end', `${url}/approvals`])
    await noSession(url, thief)
    expect(audit.at(-1)).toMatchObject({
      event_type: 'agentic.session.ended',
      actor_id: 'bob',
      attributes: { reason: 'sign-out' },
    })
  })

  test('a sign-out by another site', async () => {
    const { url, provider } = await start()
    const { browser } = await signIn(url, provider)
    for (const headers of [
      {},
      { ...pageHeaders, origin: 'https://evil.example' },
      { ...pageHeaders, 'sec-fetch-site': 'cross-site' },
    ])
      expectSentence(await browser.post(`${url}/sign-out`, headers), 403)
    expect((await read(url, browser)).status).toBe(200)
  })

  test('a sign-in or a session that a sibling site plants under the name of plain http', async () => {
    const { url, provider } = await start({ signIn: { public_url: PUBLIC } })
    const attacker = new Browser()
    const begun = await attacker.get(`${url}/sign-in`, behindProxy)
    const [[name = '', sealed = ''] = []] = attacker.cookies
    expect(name).toBe('__Host-agentic-sign-in')
    const back = inside(url, provider.signIn(locationOf(begun), 'attacker'))
    const victim = new Browser()
    victim.cookies.set('agentic-80-sign-in', sealed)
    expectSentence(await victim.get(back, behindProxy), 400)
    expect((await attacker.get(back, behindProxy)).status).toBe(303)
    victim.cookies.set('agentic-80', attacker.cookies.get('__Host-agentic') ?? '')
    const answer = await victim.get(`${url}/approvals/1`, { ...pageHeaders, ...behindProxy })
    expectRefusal(answer, 401, 'MISSING_TOKEN')
  })

  test('a cookie of another gateway', async () => {
    const [one, two] = [await start(), await start()]
    const { browser } = await signIn(one.url, one.provider)
    const sealed = [...browser.cookies.values()]
    const other = new Browser()
    other.cookies.set(`agentic-${two.port}`, sealed.at(-1) ?? '')
    await noSession(two.url, other)
  })

  test('10,000 begun sign-ins: 20 a minute begin, and none is kept', async () => {
    const { url } = await start()
    const statuses = new Map<number, number>()
    for (let count = 0; count < 60; count++) {
      const { status } = await new Browser().get(`${url}/sign-in`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    // One more may come within the seconds that the test takes.
    expect(statuses.get(303)).toBeGreaterThanOrEqual(20)
    expect(statuses.get(303)).toBeLessThanOrEqual(22)
    const refused = await new Browser().get(`${url}/sign-in`)
    expectSentence(refused, 429)
    expect(refused.headers['retry-after']).toBe('60')
  })
})

describe('a session', () => {
  test('gets a new token before its own ends; a rotated refresh token is used once', async () => {
    const { url, provider } = await start()
    provider.faults.tokenSeconds = 30
    const { browser } = await signIn(url, provider)
    provider.faults.tokenSeconds = 300
    const answers = await Promise.all(Array.from({ length: 5 }, () => read(url, browser)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await read(url, browser)
    const refreshes = provider.asked.filter((form) => form.get('grant_type') === 'refresh_token')
    expect(refreshes).toHaveLength(1)
  })

  test('ends with a refused refresh', async () => {
    const { url, provider, audit } = await start()
    provider.faults.tokenSeconds = 30
    const { browser } = await signIn(url, provider)
    provider.faults.refusesRefresh = true
    expectRefusal(await read(url, browser), 401, 'MISSING_TOKEN')
    expect(audit.filter(({ event_type }) => event_type === 'agentic.session.ended')).toMatchObject([
      { actor_id: 'bob', attributes: { reason: 'refresh refused' } },
    ])
  })

  test.each([503, 429])('goes on with its token while the provider answers %i', async (status) => {
    const { url, provider } = await start()
    provider.faults.tokenSeconds = 30
    const { browser } = await signIn(url, provider)
    provider.faults.isAway = true
    provider.faults.awayStatus = status
    expect((await read(url, browser)).status).toBe(200)
  })

  test('ends when a refresh answers for another person', async () => {
    const { url, provider } = await start()
    provider.faults.tokenSeconds = 30
    const { browser } = await signIn(url, provider)
    provider.faults.claims = { sub: 'eve' }
    expectRefusal(await read(url, browser), 401, 'MISSING_TOKEN')
  })

  test('ends by the back-channel logout of its provider, and by no other token', async () => {
    const { url, provider } = await start()
    const [bob, eve] = [await signIn(url, provider), await signIn(url, provider, { sub: 'eve' })]
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const logout = async (claims: object, header = {}) => {
      const logout_token = await provider.issuer.token({
        header: { typ: 'logout+jwt', ...header },
        claims: { aud: 'agentic-gateway', events, ...claims },
      })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const body = new URLSearchParams({ logout_token }).toString()
      return (await sendRequest(`${url}/backchannel-logout`, { method: 'POST', headers, body })).status
    }
    for (const bad of [
      { sub: 'bob', events: {} },
      { sub: 'bob', nonce: 'x' },
      { sub: 'bob', aud: 'another' },
      { sub: 'bob', iss: 'https://evil.example' },
      { sub: 'bob', exp: 1 },
      { sub: undefined },
    ])
      expect(await logout(bad), JSON.stringify(bad)).toBe(400)
    expect((await read(url, bob.browser)).status).toBe(200)
    expect(await logout({ sub: 'bob', sid: 'sid-bob' })).toBe(200)
    expectRefusal(await read(url, bob.browser), 401, 'MISSING_TOKEN')
    expect((await read(url, eve.browser)).status).toBe(200)
    expect(await logout({ sub: 'eve', jti: 'once' })).toBe(200)
    expectRefusal(await read(url, eve.browser), 401, 'MISSING_TOKEN')
    // A copy of it ends no later session.
    const again = await signIn(url, provider, { sub: 'eve' })
    expect(await logout({ sub: 'eve', jti: 'once' })).toBe(400)
    expect((await read(url, again.browser)).status).toBe(200)
  })
})

describe('a provider that is away', () => {
  test('makes sign-in 424 and the gateway degraded, and nothing else; it is found again', async () => {
    const provider = await startProvider()
    onTestFinished(() => provider.close())
    provider.faults.isAway = true
    const { url } = await startGateway({
      gateway: { sign_in: { issuer: provider.url, client_id: 'x' } },
      plugins: { 'token-validator': { issuers: [{ issuer: provider.url, audience: ['agentic'] }] } },
      routes: [],
    })
    const degraded = async () => {
      const { status, body } = await sendRequest(`${url}/readyz`)
      return [
        status,
        JSON.parse(body.toString()).degraded.filter((reason: string) => reason.startsWith('sign-in')),
      ]
    }
    expect(await degraded()).toEqual([
      200,
      ['sign-in: the identity provider does not answer, nobody can sign in'],
    ])
    expectSentence(await new Browser().get(`${url}/sign-in`), 424)
    provider.faults.isAway = false
    await eventually(degraded, ([, reasons]) => reasons.length === 0)
    expect((await new Browser().get(`${url}/sign-in`)).status).toBe(303)
  })

  test('or silent on the way back is 424 too, after 5 seconds', async () => {
    const { url, provider } = await start()
    const browser = new Browser()
    const back = provider.signIn(locationOf(await browser.get(`${url}/sign-in`)), 'bob')
    provider.faults.isSilent = true
    expectSentence(await browser.get(back), 424)
  }, 20_000)

  test('on the way back is 424 too', async () => {
    const { url, provider } = await start()
    const browser = new Browser()
    const back = provider.signIn(locationOf(await browser.get(`${url}/sign-in`)), 'bob')
    provider.faults.isAway = true
    expectSentence(await browser.get(back), 424)
  })
})

describe('the inbox', () => {
  const browserHeaders = { accept: 'text/html' }

  test('is the page at /approvals, with or without a session, and at approvals of other services', async () => {
    const { url } = await start()
    for (const path of ['/approvals', '/approvals/1']) {
      const answer = await sendRequest(`${url}${path}`, { headers: browserHeaders })
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(answer.body.toString()).toContain('<html lang="en" data-sign-in>')
      expect(answer.body.toString()).toContain('This page needs JavaScript.')
    }
    // Programs see no difference.
    expectRefusal(await sendRequest(`${url}/approvals`), 401, 'MISSING_TOKEN')
  })

  test('learns who is signed in, and which services have approvals', async () => {
    const { url, provider } = await start()
    provider.faults.claims = { name: 'Bob Builder' }
    const { browser } = await signIn(url, provider)
    const { status, body } = await browser.get(`${url}/approvals/session`, pageHeaders)
    expect([status, JSON.parse(body.toString())]).toEqual([
      200,
      {
        subject: 'bob',
        issuer: provider.url,
        name: 'Bob Builder',
        services: [{ routeId: 'list-approvals', path: '/approvals' }],
      },
    ])
    const nobody = await new Browser().get(`${url}/approvals/session`, pageHeaders)
    expectRefusal(nobody, 401, 'MISSING_TOKEN')
  })

  test('has at most 40 kB compressed', async () => {
    const { url } = await start()
    const { body } = await sendRequest(`${url}/approvals`, { headers: browserHeaders })
    expect(gzipSync(body).length).toBeLessThan(40_000)
  })
})

describe('the console', () => {
  const settings = { role: 'gateway:admin', port: 0 }
  const console = async (more: Setting = {}) => {
    const started = await start({ ...more, gateway: { admin: settings } })
    return { ...started, adminUrl: `http://127.0.0.1:${started.gateway.adminPort}` }
  }

  test('signs people in the same way, with a session of its own', async () => {
    const { url, adminUrl, provider } = await console()
    const page = await new Browser().get(`${adminUrl}/`)
    expect([page.status, /<a class="button" href="([^"]+)">/.exec(page.body.toString())?.[1]]).toEqual([
      401,
      '/sign-in?return=/',
    ])
    provider.faults.claims = { roles: ['gateway:admin'] }
    const { browser, answer } = await signIn(adminUrl, provider, { to: '/#/routes' })
    expect([answer.status, locationOf(answer)]).toEqual([303, '/#/routes'])
    expect((await browser.get(`${adminUrl}/api/routes`)).status).toBe(200)
    // Neither listener takes a session of the other.
    const sealed = browser.cookies.get(`agentic-${new URL(adminUrl).port}`) ?? ''
    const other = new Browser()
    other.cookies.set(`agentic-${new URL(url).port}`, sealed)
    expectRefusal(await read(url, other), 401, 'MISSING_TOKEN')
    const out = await browser.post(`${adminUrl}/sign-out`, { ...pageHeaders, origin: adminUrl })
    expect([out.status, new URL(JSON.parse(out.body.toString()).next).pathname]).toEqual([200, '/end'])
    expect((await browser.get(`${adminUrl}/api/routes`)).status).toBe(401)
  })

  test('sends requests of its page through the gateway as the person, without the token in the page', async () => {
    const { adminUrl, provider, upstream } = await console()
    provider.faults.claims = { roles: ['gateway:admin'] }
    const { browser } = await signIn(adminUrl, provider, { to: '/' })
    const script = { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }
    const ask = (headers: Record<string, string>, who = browser) =>
      who.get(`${adminUrl}/api/as-me/approvals/1?x=1`, { accept: 'application/json', ...headers })
    expect((await ask(script)).status).toBe(200)
    expect(
      upstream.requests.map(({ url, headers }) => [url, headers['x-actor-subject'], headers.cookie]),
    ).toEqual([['/approvals/1?x=1', 'bob', undefined]])
    // Neither a link nor another site gets an answer of a service on this origin.
    for (const more of [
      { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-dest': 'script' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect((await ask({ ...script, ...more })).status).toBe(403)
    expect((await ask({})).status).toBe(403)
    expect((await ask(script, new Browser())).status).toBe(401)
    expect(upstream.requests).toHaveLength(1)
  })

  test('passes no cookie to a service, and takes none from it', async () => {
    const answered = { 'Set-Cookie': 'planted=x', 'Clear-Site-Data': '"cookies"', 'X-Kept': 'yes' }
    const { adminUrl, provider, upstream } = await console({ answered })
    provider.faults.claims = { roles: ['gateway:admin'] }
    const { browser } = await signIn(adminUrl, provider, { to: '/' })
    browser.cookies.set('proxy-session', 'secret')
    const answer = await browser.get(`${adminUrl}/api/as-me/approvals/1`, {
      'sec-fetch-dest': 'empty',
      'sec-fetch-site': 'same-origin',
      accept: 'application/json',
    })
    const { headers } = answer
    expect([answer.status, headers['set-cookie'], headers['clear-site-data'], headers['x-kept']]).toEqual([
      200,
      undefined,
      undefined,
      'yes',
    ])
    expect(upstream.requests.map((request) => request.headers.cookie)).toEqual([undefined])
  })

  test('signs nobody in or out at the public listener through as-me', async () => {
    const { adminUrl, provider } = await console()
    provider.faults.claims = { roles: ['gateway:admin'] }
    const { browser } = await signIn(adminUrl, provider, { to: '/' })
    const script = { ...pageHeaders, 'sec-fetch-dest': 'empty', origin: adminUrl }
    const answers = [
      await browser.post(`${adminUrl}/api/as-me/approvals/session`, script),
      await browser.post(`${adminUrl}/api/as-me/sign-out`, script),
      await browser.get(`${adminUrl}/api/as-me/sign-in`, script),
    ]
    expect(answers.map(({ headers }) => headers['set-cookie'])).toEqual([undefined, undefined, undefined])
    expect((await browser.get(`${adminUrl}/api/routes`)).status).toBe(200)
  })

  test('tells somebody without the role what is needed', async () => {
    const { adminUrl, provider } = await console()
    const { browser } = await signIn(adminUrl, provider, { to: '/' })
    const { status, body } = await browser.get(`${adminUrl}/`)
    expect(status).toBe(403)
    expect(body.toString()).toContain('The token needs the role <code>gateway:admin</code>.')
  })
})

test('without sign_in there is no such address', async () => {
  const { url } = await startGateway({ gateway: { approvals_page: {} }, routes: [] })
  for (const path of ['/sign-in', '/sign-in/callback', '/sign-out', '/backchannel-logout'])
    expectRefusal(await sendRequest(`${url}${path}`), 404, 'ROUTE_NOT_FOUND')
})
