import { ids, sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import type { Exchange } from '../../src/index.ts'
import { pluginOf, startWithPlugins, tokenWith, watchExchanges, withTokens } from './start-with-plugins.ts'

test('a plugin sees the request, its route, its caller and its tenant', async () => {
  const { seen, plugin } = watchExchanges()
  const { url } = await startWithPlugins([plugin], {
    plugins: withTokens,
    route: { roles: ['reader'], executionTimeoutSeconds: 5 },
  })
  const token = await tokenWith({ plan: { name: 'gold' } })
  const answer = await sendRequest(`${url}/items/a%20b?dry=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-actor-principal': 'bob', 'X-Region': 'eu' },
    body: '{}',
  })
  expect(answer.status).toBe(200)
  const [exchange] = seen as [Exchange]
  expect(exchange.method).toBe('POST')
  expect(exchange.path).toBe('/items/a%20b')
  expect(exchange.query).toBe('?dry=true')
  expect(exchange.headers['x-region']).toBe('eu')
  expect(exchange.rawHeaders).toContain('X-Region')
  expect(exchange.trace).toEqual(ids)
  expect(exchange.route).toEqual({
    id: 'POST item',
    method: 'POST',
    path: '/items/{itemId}',
    mode: 'json',
    roles: ['reader'],
    license: undefined,
    executionTimeoutSeconds: 5,
  })
  expect({ ...exchange.params }).toEqual({ itemId: 'a b' })
  expect(exchange.identity).toMatchObject({
    subject: 'alice',
    issuer: 'https://id.example.test',
    roles: ['reader'],
    serviceAccount: false,
    claims: { sub: 'alice', plan: { name: 'gold' } },
  })
  expect(exchange.actor).toBe('bob')
  expect(exchange.tenantId).toBe('acme')
  expect(exchange.body.length).toBe(2)
  expect(exchange.signal).toBeInstanceOf(AbortSignal)
})

test('without tokens there is no caller, and without headers of prototypes no surprise', async () => {
  const { seen, plugin } = watchExchanges()
  const { url } = await startWithPlugins([plugin])
  await sendRequest(`${url}/items/1`, { headers: { constructor: 'mine' } })
  const [exchange] = seen as [Exchange]
  expect(exchange.identity).toBeUndefined()
  expect(exchange.actor).toBe('')
  expect([
    exchange.headers['constructor'],
    exchange.headers['toString'],
    exchange.params['toString'],
  ]).toEqual(['mine', undefined, undefined])
})

test('request and response see the same object, each plugin one of its own', async () => {
  const seen = new Map<string, Exchange[]>()
  const keep = (name: string) => {
    const views: Exchange[] = []
    seen.set(name, views)
    return pluginOf(
      { request: (exchange) => void views.push(exchange), response: (exchange) => void views.push(exchange) },
      name,
    )
  }
  const { url } = await startWithPlugins([keep('one'), keep('two')])
  await sendRequest(`${url}/items/1`)
  await expect.poll(() => seen.get('two')).toHaveLength(2)
  const [[one, oneAgain], [two, twoAgain]] = [...seen.values()] as [Exchange[], Exchange[]]
  expect(one).toBe(oneAgain)
  expect(two).toBe(twoAgain)
  expect(one).not.toBe(two)
})
