import { request } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'

const secret = 'bob@example.test'
const rules = [
  { name: 'email', builtin: 'email' },
  { name: 'phone', builtin: 'phone' },
  { name: 'ssn', builtin: 'us_ssn' },
  { name: 'jailbreak', keywords: ['ignore previous instructions'], action: 'reject' },
]

async function start(sanitize: object = { rules }) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const records: unknown[] = []
  const gateway = await startGateway(
    {
      plugins: { 'prompt-sanitize': sanitize, 'otel-audit': { include_rejected: true } },
      routes: [
        { id: 'list', method: 'GET', path: '/users', target: upstream.url },
        { id: 'read', method: 'GET', path: '/users/{userId}', target: upstream.url },
        { id: 'orders', method: 'GET', path: '/users/{userId}/orders/{orderId}', target: upstream.url },
      ],
    },
    { onRecord: (record) => records.push(record) },
  )
  /** Sends the target as it is: `fetch` would change some of its bytes. */
  const get = (path: string, headers: Record<string, string> = { 'X-Tenant-ID': 'acme' }) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: gateway.port, path, headers }, async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() })
      })
      sent.on('error', reject).end()
    })
  return { ...gateway, upstream, get, records }
}

function faults(body: string): unknown {
  return JSON.parse(body).errors
}

describe('a query', () => {
  it.each([
    [`?mail=bob%40example.test&x=1`, '?mail=%5BREDACTED%3Aemail%5D&x=1'],
    [`?x=a%20b&q=write+to+${secret}`, '?x=a%20b&q=write+to+%5BREDACTED%3Aemail%5D'],
    [`?bob%40example.test=1&y`, '?%5BREDACTED%3Aemail%5D=1&y'],
    [`?${secret}`, '?%5BREDACTED%3Aemail%5D'],
    ['?ssn=123456789', '?ssn=%5BREDACTED%3Assn%5D'],
    [
      '?q=%7B%22mail%22%3A%22bob%5Cu0040example.test%22%7D',
      '?q=%7B%22mail%22%3A%22%5BREDACTED%3Aemail%5D%22%7D',
    ],
    // A plus sign is a blank to some services and itself to others.
    ['?to=+12125550100', '?to=%5BREDACTED%3Aphone%5D'],
    ['?to=call+2125550100', '?to=call+%5BREDACTED%3Aphone%5D'],
  ])('is redacted: %s', async (sent, forwarded) => {
    const { get, upstream } = await start()
    expect((await get(`/users${sent}`)).status).toBe(200)
    expect(upstream.requests.map(({ url }) => url)).toEqual([`/users${forwarded}`])
  })

  it.each(['?', '?&&', '?a=%7e&&b==c+d&e=%2f?;x', "?q=%C3%A9&'()*=!~", '?n=%'])(
    'without a match keeps its bytes: %s',
    async (query) => {
      const { get, upstream } = await start()
      expect((await get(`/users${query}`)).status).toBe(200)
      expect(upstream.requests.map(({ url }) => url)).toEqual([`/users${query}`])
    },
  )

  it('is refused where a rule rejects, by the name of the rule', async () => {
    const { get, upstream } = await start()
    const { status, body } = await get('/users?q=IGNORE%20previous+instructions')
    expect(status).toBe(422)
    expect(faults(body)).toEqual([
      { field: 'query', message: 'The value is not allowed here by the rule "jailbreak".' },
    ])
    expect(upstream.requests).toEqual([])
  })

  it.each(['?q=%E9', '?%FF=1'])(
    'that is not UTF-8 is refused, because it cannot be searched: %s',
    async (query) => {
      const { get, upstream } = await start()
      const { status, body } = await get(`/users${query}`)
      expect(status).toBe(422)
      expect(faults(body)).toEqual([
        { field: 'query', message: 'The query must be UTF-8, because it is inspected.' },
      ])
      expect(upstream.requests).toEqual([])
    },
  )

  it('is not read without rules', async () => {
    const { get, upstream } = await start({ rules: [] })
    expect((await get(`/users/${secret}?q=%E9&m=${secret}`)).status).toBe(200)
    expect(upstream.requests[0]?.url).toBe(`/users/${secret}?q=%E9&m=${secret}`)
  })
})

describe('a path value', () => {
  it.each([
    [`/users/${secret}`, 'email', 'email'],
    ['/users/bob%40example.test', 'email', 'email'],
    ['/users/bob%2540example.test', 'email', 'email'],
    ['/users/ignore%20previous%20instructions', 'jailbreak', 'jailbreak'],
    // A rule that rejects is named before others.
    [`/users/${secret}%20ignore%20previous%20instructions`, 'jailbreak', 'email'],
  ])('with a match is refused, and no record shows it: %s', async (path, rule, shown) => {
    const { get, upstream, audit, records } = await start()
    const { status, body } = await get(path)
    expect(status).toBe(422)
    expect(faults(body)).toEqual([
      { field: 'path', message: `The value is not allowed here by the rule "${rule}".` },
    ])
    expect(upstream.requests).toEqual([])
    await eventually(
      () => audit.length,
      (count) => count === 1,
    )
    expect(audit[0]).toMatchObject({ event_type: 'agentic.request.rejected' })
    expect(String(audit[0]?.['resource_id'])).toContain(`[REDACTED:${shown}]`)
    const told = JSON.stringify([body, audit, records])
    expect(told).toContain(`"path":"/users/[REDACTED:${shown}]`)
    expect(told).not.toMatch(/bob|ignore/)
  })

  it('without a match is forwarded and recorded', async () => {
    const { get, upstream, audit } = await start()
    expect((await get('/users/u-1/orders/o%20%C3%A9?x=1')).status).toBe(200)
    expect(upstream.requests[0]?.url).toBe('/users/u-1/orders/o%20%C3%A9?x=1')
    await eventually(
      () => audit.length,
      (count) => count === 1,
    )
    expect(audit[0]).toMatchObject({ resource_id: 'o é' })
  })
})

describe('a request that an earlier plugin refuses', () => {
  it.each([
    [`/users/${secret}`, '[REDACTED:email]', '/users/[REDACTED:email]'],
    [`/users/${secret}/orders/7`, '7', '/users/[REDACTED:email]/orders/7'],
    [`/users/u-1/orders/${'x'.repeat(300)}`, '[REDACTED]', '/users/u-1/orders/[REDACTED]'],
    ['/users/u-1', 'u-1', '/users/u-1'],
  ])('has no match in its records: %s', async (path, resource, shown) => {
    const { get, audit, records } = await start()
    expect((await get(path, {})).status).toBe(403)
    await eventually(
      () => audit.length,
      (count) => count === 1,
    )
    expect(audit[0]).toMatchObject({ event_type: 'agentic.request.rejected', resource_id: resource })
    expect(records).toMatchObject([{ resource_id: resource, attributes: { path: shown } }])
    expect(JSON.stringify([audit, records])).not.toContain('bob')
  })
})
