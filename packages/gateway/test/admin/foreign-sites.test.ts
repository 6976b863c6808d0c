import { type Answer, sendRequest } from '@agentic-rest/testing/send-request'
import { describe, expect, test } from 'vitest'
import { sendRaw } from '../harness/raw-client.ts'
import { startAdmin } from './harness/start-admin.ts'

function seen({ status, body }: Answer) {
  return { status, body: JSON.parse(body.toString()) }
}

const foreignHost = { status: 403, body: { code: 'FOREIGN_HOST', message: 'This host is not served here.' } }
const foreignOrigin = {
  status: 403,
  body: { code: 'FOREIGN_ORIGIN', message: 'Another site may not do this.' },
}

describe('a Host that is not its own', () => {
  test('is refused on every path, so that DNS rebinding reads nothing', async () => {
    const { adminUrl, adminPort } = await startAdmin()
    const hosts = [
      'evil.example',
      `evil.example:${adminPort}`,
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '127.0.0.2',
      '0.0.0.0',
      '[::2]',
      'x',
    ]
    for (const host of hosts)
      for (const path of ['/', '/api/gateway', '/api/feed', '/openapi.json', '/session', '/nothing'])
        expect(
          seen(await sendRequest(`${adminUrl}${path}`, { headers: { host } })),
          `${host} ${path}`,
        ).toEqual(foreignHost)
  })

  test('cannot hide behind an absolute target or a second Host', async () => {
    const { adminPort } = await startAdmin()
    const heads = [
      `GET http://evil.example/api/gateway HTTP/1.1\r\nHost: 127.0.0.1:${adminPort}`,
      `GET /api/gateway HTTP/1.1\r\nHost: 127.0.0.1:${adminPort}\r\nHost: evil.example`,
    ]
    for (const head of heads) {
      const text = await sendRaw(adminPort, `${head}\r\nConnection: close\r\n\r\n`)
      expect(text.slice(9, 12)).toMatch(/^4\d\d$/)
      expect(text).not.toContain('profile')
    }
  })

  test('is accepted as a loopback name, in any case, or as one of gateway.admin.hosts', async () => {
    const { adminUrl, adminPort } = await startAdmin({ settings: { hosts: ['console.example', '::2'] } })
    const hosts = [
      `127.0.0.1:${adminPort}`,
      'localhost',
      `LocalHost:${adminPort}`,
      '[::1]:9000',
      'console.example',
      'Console.Example:443',
      '[::2]',
    ]
    for (const host of hosts) {
      const { status } = await sendRequest(`${adminUrl}/api/routes`, { headers: { host } })
      expect({ host, status }).toEqual({ host, status: 200 })
    }
  })
})

describe('a request of another site', () => {
  test('changes nothing: posts with a foreign origin are refused', async () => {
    const { adminUrl, adminPort } = await startAdmin()
    const origins = [
      'https://evil.example',
      'null',
      'http://localhost:1',
      `http://127.0.0.1:${adminPort}.evil.example`,
      '',
      `file://127.0.0.1:${adminPort}`,
    ]
    for (const origin of origins)
      for (const path of ['/api/token', '/api/records?part=x', '/session'])
        expect(
          seen(await sendRequest(`${adminUrl}${path}`, { method: 'POST', headers: { origin }, body: '{}' })),
          `${origin} ${path}`,
        ).toEqual(foreignOrigin)
  })

  test('is recognised by the Sec-Fetch headers, with or without an origin', async () => {
    const { adminUrl } = await startAdmin()
    for (const site of ['cross-site', 'same-site'])
      expect(
        seen(
          await sendRequest(`${adminUrl}/api/token`, {
            method: 'POST',
            headers: { 'sec-fetch-site': site },
            body: '{"sub":"alice"}',
          }),
        ),
      ).toEqual(foreignOrigin)
  })

  test('opens no feed and embeds nothing in its page', async () => {
    const { adminUrl } = await startAdmin()
    const requests: Record<string, string>[] = [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
    ]
    for (const headers of requests)
      for (const path of ['/api/feed', '/', '/api/gateway'])
        expect(seen(await sendRequest(`${adminUrl}${path}`, { headers }))).toEqual(foreignOrigin)
  })

  test('may link to a page, but not to the API, because a feed uses a connection', async () => {
    const { adminUrl } = await startAdmin()
    const follow = (path: string, site: string) =>
      sendRequest(`${adminUrl}${path}`, {
        headers: { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      })
    expect((await follow('/openapi.json', 'cross-site')).status).toBe(200)
    for (const path of ['/api/feed', '/api/routes', '/session'])
      expect(seen(await follow(path, 'cross-site')), path).toEqual(foreignOrigin)
    // A typed address comes from no other site.
    expect((await follow('/api/routes', 'none')).status).toBe(200)
  })

  test('is told apart from the page itself and from a service, which sends no origin', async () => {
    const { adminUrl } = await startAdmin()
    const own = [{ origin: adminUrl, 'sec-fetch-site': 'same-origin' }, {}]
    for (const headers of own) {
      const { status } = await sendRequest(`${adminUrl}/api/token`, {
        method: 'POST',
        headers,
        body: '{"sub":"alice"}',
      })
      expect(status).toBe(200)
    }
  })

  test('cannot read answers: there are no CORS headers and a preflight is refused', async () => {
    const { adminUrl } = await startAdmin()
    const preflight = {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    }
    for (const options of [preflight, { headers: { origin: 'https://evil.example' } }]) {
      const { headers } = await sendRequest(`${adminUrl}/api/gateway`, options)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    expect(seen(await sendRequest(`${adminUrl}/api/gateway`, preflight))).toEqual(foreignOrigin)
  })
})

test('every answer forbids framing, sniffing and caching, refusals too', async () => {
  const { adminUrl } = await startAdmin()
  const requests = [
    { path: '/api/gateway' },
    { path: '/nothing' },
    { path: '/a/%2e%2e/b' },
    { path: '/api/gateway', headers: { host: 'evil.example' } },
    { path: '/api/token', method: 'POST', body: 'x' },
    { path: '/api/routes', method: 'DELETE' },
  ]
  for (const { path, ...options } of requests) {
    const { headers } = await sendRequest(`${adminUrl}${path}`, options)
    expect(headers, path).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'application/json',
    })
  }
})

test('a method that a path lacks is 405 with the allowed methods', async () => {
  const { adminUrl } = await startAdmin()
  const cases = [
    ['/api/gateway', 'POST', 'GET, HEAD'],
    ['/api/records', 'DELETE', 'GET, HEAD, POST'],
    ['/api/token', 'GET', 'POST'],
    ['/', 'POST', 'GET, HEAD'],
    ['/nothing', 'PUT', 'GET, HEAD'],
  ] as const
  for (const [path, method, allow] of cases) {
    const answer = await sendRequest(`${adminUrl}${path}`, { method })
    expect({ path, ...seen(answer), allow: answer.headers['allow'] }).toEqual({
      path,
      status: 405,
      allow,
      body: { code: 'METHOD_NOT_ALLOWED', message: 'The method is not allowed here.' },
    })
  }
})
