import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import type { Exchange } from '../../src/index.ts'
import { pluginOf, startWithPlugins, tokenWith, withTokens } from './start-with-plugins.ts'

/** Changes that a plugin in JavaScript could try. */
const changes: Readonly<Record<string, (exchange: Exchange) => void>> = {
  'a header': ({ headers }) => Object.assign(headers, { 'x-tenant-id': 'globex' }),
  'the list of headers': ({ rawHeaders }) => void (rawHeaders as string[]).push('X-Tenant-ID', 'globex'),
  'the trace': ({ trace }) => Object.assign(trace, { requestId: 'forged' }),
  'a parameter': ({ params }) => Object.assign(params, { itemId: '2' }),
  'the route': ({ route }) => Object.assign(route, { roles: [] }),
  'the roles of the route': ({ route }) => void (route.roles as string[]).push('x'),
  'the caller': ({ identity }) => Object.assign(identity ?? {}, { subject: 'mallory' }),
  'the roles of the caller': ({ identity }) => void (identity?.roles as string[] | undefined)?.push('admin'),
  'a claim': ({ identity }) => Object.assign(identity?.claims ?? {}, { sub: 'mallory' }),
  'a nested claim': ({ identity }) =>
    Object.assign((identity?.claims['plan'] ?? {}) as object, { name: 'gold' }),
  'the tenant': (exchange) => Object.assign(exchange, { tenantId: 'globex' }),
  'a field of its own': (exchange) => Object.assign(exchange, { mine: 1 }),
  'the body object': ({ body }) => Object.assign(body, { read: () => undefined }),
  'the audit object': ({ audit }) => Object.assign(audit, { set: () => undefined }),
  'the prototype of the view': (exchange) =>
    Object.assign(Object.getPrototypeOf(exchange), { tenantId: 'globex' }),
}

test.each(Object.keys(changes))('a plugin cannot change %s', async (name) => {
  const caught: unknown[] = []
  const plugin = pluginOf({
    request(exchange) {
      try {
        changes[name]?.(exchange)
      } catch (error) {
        caught.push(error)
      }
    },
  })
  const { url, upstream, audit } = await startWithPlugins([plugin], { plugins: withTokens })
  const headers = { authorization: `Bearer ${await tokenWith({ plan: { name: 'free' } })}` }
  // Twice: the claims of a token are kept for the next request with it.
  for (let round = 0; round < 2; round += 1)
    expect((await sendRequest(`${url}/items/1`, { headers })).status).toBe(200)
  expect(caught).toEqual([expect.any(TypeError), expect.any(TypeError)])
  for (const { headers: sent, url: path } of upstream.requests) {
    expect(path).toBe('/items/1')
    expect(sent).toMatchObject({
      'x-tenant-id': 'acme',
      'x-request-id': 'req-1',
      'x-actor-subject': 'alice',
      'x-actor-roles': 'reader',
    })
  }
  await expect.poll(() => audit).toHaveLength(2)
  expect(audit).toMatchObject([
    { tenant_id: 'acme', actor_id: 'alice', resource_id: '1' },
    { tenant_id: 'acme', actor_id: 'alice', resource_id: '1' },
  ])
})
