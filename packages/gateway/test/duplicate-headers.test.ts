import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectInvalid } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

async function ask(lines: readonly string[]) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { port } = await startGateway({
    routes: [{ id: 'r', method: 'POST', path: '/r', target: upstream.url }],
  })
  const { send, response } = await openConnection(port)
  send(`POST /r HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`)
  return { answer: await response(), upstream }
}

const usual: Readonly<Record<string, string>> = {
  Host: 'gateway',
  'X-Tenant-ID': 'acme',
  Authorization: 'Bearer a',
  'Content-Type': 'application/json',
  'X-Correlation-ID': 'c',
  'X-Request-ID': 'r',
  'X-Actor-Principal': 'alice',
  'Idempotency-Key': 'k',
}
const lines = Object.entries(usual).map(([name, value]) => `${name}: ${value}`)

describe('a header that has one value', () => {
  it('is accepted once', async () => {
    const { answer, upstream } = await ask(lines)
    expect(answer.status).toBe(200)
    expect(upstream.requests).toHaveLength(1)
  })

  it.each(Object.keys(usual))('is refused by name when it is sent twice: %s', async (name) => {
    const error = { field: name, message: 'is sent more than once' }
    const other = await ask([...lines, `${name.toLowerCase()}: other`])
    expectInvalid(other.answer, [error])
    expect(other.upstream.requests).toHaveLength(0)
    const same = await ask([...lines, `${name.toUpperCase()}: ${usual[name]}`])
    expectInvalid(same.answer, [error])
    expect(same.upstream.requests).toHaveLength(0)
    const empty = await ask([...lines, `${name}:`])
    expectInvalid(empty.answer, [error])
    expect(empty.upstream.requests).toHaveLength(0)
  })

  it('is named once when it is sent three times, and all of them are named', async () => {
    const { answer, upstream } = await ask([...lines, ...lines, ...lines])
    expectInvalid(
      answer,
      Object.keys(usual).map((field) => ({ field, message: 'is sent more than once' })),
    )
    expect(upstream.requests).toHaveLength(0)
  })

  it('gives no id when it is an id: none of the two is trusted', async () => {
    const { answer } = await ask([...lines, 'X-Correlation-ID: other'])
    expect(answer.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers['x-request-id']).toBe('r')
  })
})

describe('any other header', () => {
  it('may be sent twice and reaches the upstream twice', async () => {
    const { answer, upstream } = await ask([
      ...lines,
      'X-Note: one',
      'X-Note: two',
      'Accept: a/b',
      'Accept: c/d',
    ])
    expect(answer.status).toBe(200)
    const raw = upstream.requests[0]?.rawHeaders ?? []
    const values = (name: string) => raw.filter((_value, index) => raw[index - 1] === name)
    expect(values('X-Note')).toEqual(['one', 'two'])
    expect(values('Accept')).toEqual(['a/b', 'c/d'])
  })
})

describe('a Host that is none', () => {
  it.each([
    '',
    'a b',
    'a/b',
    'user@gateway',
    'gateway:port',
    'gateway:123456',
    '[::1',
    'gate"way',
    'g\xe4teway',
    '..//',
  ])('is refused by name: "%s"', async (host) => {
    const { answer, upstream } = await ask([`Host: ${host}`, ...lines.slice(1)])
    expectInvalid(answer, [{ field: 'Host', message: 'is not a host' }])
    expect(upstream.requests).toHaveLength(0)
  })

  it.each(['gateway', 'Gateway.Example:8080', '127.0.0.1:80', '[::1]:8080', 'xn--gteway-bua.example'])(
    'is not "%s", which the upstream is told',
    async (host) => {
      const { answer, upstream } = await ask([`Host: ${host}`, ...lines.slice(1)])
      expect(answer.status).toBe(200)
      expect(upstream.requests[0]?.headers['x-forwarded-host']).toBe(host)
    },
  )
})
