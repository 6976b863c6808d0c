import { describe, expect, it, test } from 'vitest'
import { hopByHopNames } from '../../test/harness/hop-by-hop-names.ts'
import {
  makeBody,
  makeExchange,
  makeHeaders,
  makeIdentity,
  makeRoute,
} from '../../test/plugins/make-exchange.ts'
import type { Exchange } from '../exchange.ts'
import { connectionNames, forwardedHeaders, isHopByHop } from './forwarded-headers.ts'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** The headers that the gateway adds to a request without identity and tenant. */
const OWN = [
  ['X-Correlation-ID', 'corr-1'],
  ['X-Request-ID', 'req-1'],
  ['traceparent', TRACEPARENT],
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-Proto', 'http'],
]

/** The forwarded headers in pairs; the exchange's headers come from `rawHeaders`. */
function forward(rawHeaders: readonly string[], overrides: Partial<Exchange> = {}): string[][] {
  const sent = pairs(rawHeaders).map(([name = '', value = '']) => [name, value])
  const headers = makeHeaders(Object.fromEntries(sent))
  const exchange = makeExchange({ rawHeaders: [...rawHeaders], headers, ...overrides })
  return pairs(forwardedHeaders(exchange, { traceparent: TRACEPARENT, forwardedFor: exchange.clientAddress }))
}

function pairs(list: readonly string[]): string[][] {
  return Array.from({ length: list.length / 2 }, (_, index) => list.slice(index * 2, index * 2 + 2))
}

test('what the gateway has no business with passes as it was sent, before what it sets', () => {
  expect(forward(['Accept', 'a', 'X-Custom', 'b', 'accept', 'c'])).toEqual([
    ['Accept', 'a'],
    ['X-Custom', 'b'],
    ['accept', 'c'],
    ...OWN,
  ])
})

describe('no copy of the caller passes of', () => {
  it.each([
    ...hopByHopNames,
    'Content-Length',
    'Expect',
    'X-Correlation-ID',
    'X-Request-ID',
    'X-Tenant-ID',
    'X-Actor-Principal',
    'X-Actor-Subject',
    'X-Actor-Roles',
    'Traceparent',
    'Tracestate',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'Forwarded',
    'X-Agentic-Via',
  ])('%s, however it is spelled', (name) => {
    const spelled = [name, name.toLowerCase(), name.toUpperCase(), name.replaceAll('-', '_')]
    if (name.includes('-')) spelled.push(name.replaceAll('-', '.'))
    expect(forward(spelled.flatMap((spelling) => [spelling, 'forged']))).toEqual(OWN)
  })

  it.each(['Idempotency-Key', 'X-Approval-Token'])('%s but the one that was understood', (name) => {
    expect(forward([name, 'one', name.replaceAll('-', '_'), 'two'])).toContainEqual([name, 'one'])
    expect(forward([name.replaceAll('-', '_'), 'two'])).toEqual(OWN)
  })
})

test('what is named in Connection stays here, except for what the gateway sets afterwards', () => {
  const sent = ['Connection', 'close, X-One ,X-CORRELATION-ID', 'x-one', 'a', 'X-Two', 'b']
  expect(forward(sent)).toEqual([['X-Two', 'b'], ...OWN])
})

test('the calls that led to an agent pass; those that a person states do not', () => {
  const via = (serviceAccount: boolean) => {
    const identity = makeIdentity({ subject: 'agent', serviceAccount })
    return forward(['X-Agentic-Via', 'alice%20called%20buy'], { identity }).filter(
      ([name]) => name === 'X-Agentic-Via',
    )
  }
  expect([via(false), via(true)]).toEqual([[], [['X-Agentic-Via', 'alice%20called%20buy']]])
})

test('who calls is told by the gateway alone', () => {
  const identity = makeIdentity({ subject: 'alice', roles: ['a', 'b'] })
  const host = { headers: makeHeaders({ host: 'api.example' }) }
  expect(forward([], { identity, actor: 'agent-1', tenantId: 'acme', protocol: 'https', ...host })).toEqual([
    ['X-Correlation-ID', 'corr-1'],
    ['X-Request-ID', 'req-1'],
    ['X-Tenant-ID', 'acme'],
    ['X-Actor-Principal', 'agent-1'],
    ['X-Actor-Subject', 'alice'],
    ['X-Actor-Issuer', 'https://id.example.test'],
    ['X-Actor-Roles', 'a,b'],
    ['traceparent', TRACEPARENT],
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Host', 'api.example'],
  ])
})

describe('a token', () => {
  const sent = ['Authorization', 'Bearer a']

  it('passes where the route says so', () => {
    const route = makeRoute({ forwardAuthorization: true })
    expect(forward(sent, { route })).toContainEqual(['Authorization', 'Bearer a'])
  })

  it.each([
    ['the route does not', makeRoute({ forwardAuthorization: false })],
    ['there is no route', undefined],
  ])('stays here where %s', (_case, route) => expect(forward(sent, { route })).toEqual(OWN))
})

describe('a coding that the caller accepts', () => {
  const sent = ['Accept-Encoding', 'gzip']

  it('is kept from a stream', () => expect(forward(sent, { streaming: true })).toEqual(OWN))
  it('is identity where tokens are counted', () =>
    expect(forward(sent, { countsUsage: true }).toSorted()).toEqual(
      [...OWN, ['Accept-Encoding', 'identity']].toSorted(),
    ))
  it('passes otherwise', () => expect(forward(sent)).toEqual([sent, ...OWN]))
  it('is all that is kept from a stream', () =>
    expect(forward(['Accept', 'text/event-stream'], { streaming: true })).toEqual([
      ['Accept', 'text/event-stream'],
      ...OWN,
    ]))
})

describe('a digest', () => {
  const names = ['Content-Digest', 'Repr-Digest', 'Digest', 'Content-MD5']

  it.each(names)('%s of a body that was replaced stays here', (name) => {
    const body = makeBody('secret')
    body.replace(Buffer.from('hidden'))
    expect(forward([name, 'x', 'Accept', 'a'], { body })).toEqual([['Accept', 'a'], ...OWN])
  })

  it.each(names)('%s of a body that is as it was passes', (name) =>
    expect(forward([name, 'x'])).toEqual([[name, 'x'], ...OWN]),
  )
})

test('a name without a value is sent with none', () => {
  expect(forward([], { rawHeaders: ['X-Odd'] })).toEqual([['X-Odd', ''], ...OWN])
})

test('the names in Connection are read without regard to case and space', () => {
  expect(connectionNames('Keep-Alive,  X-A')).toEqual(new Set(['keep-alive', 'x-a']))
  expect(connectionNames(undefined)).toBeUndefined()
})

test('a header belongs to one connection by itself or because Connection names it', () => {
  const named = new Set(['x-a'])
  expect([isHopByHop('te', undefined), isHopByHop('te', named)]).toEqual([true, true])
  expect([isHopByHop('x-a', undefined), isHopByHop('x-a', named)]).toEqual([false, true])
  expect(isHopByHop('x-b', named)).toBe(false)
})
