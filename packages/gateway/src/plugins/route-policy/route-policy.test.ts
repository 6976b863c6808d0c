import { describe, expect, test } from 'vitest'
import {
  makeContext,
  makeExchange,
  makeHeaders,
  makeIdentity,
  makeRoute,
} from '../../../test/plugins/make-exchange.ts'
import type { RouteConfig } from '../../config/config-schema.ts'
import type { Exchange, StepResult } from '../../exchange.ts'
import { planRoutePolicy, routePolicy } from './route-policy.ts'

/** Judges a request of alice, of tenant acme, with some of everything an expression can ask for. */
function judge(route: Partial<RouteConfig>, overrides: Partial<Exchange> = {}) {
  const context = makeContext()
  const exchange = makeExchange({
    route: makeRoute(route),
    tenantId: 'acme',
    query: '?tag=a&tag=b&__proto__=p',
    headers: makeHeaders({
      'X-Region': 'eu',
      Authorization: 'Bearer secret',
      'Proxy-Authorization': 'secret',
      Cookie: 'secret',
      'X-Actor-Roles': 'admin',
      X_Actor_Subject: 'root',
      'X-Forwarded-For': '10.0.0.1',
      'Client-Cert': ':MIIB:',
    }),
    identity: makeIdentity({
      roles: ['reader'],
      scopes: ['items.read', 'items.list'],
      claims: { sub: 'alice', groups: ['night-shift'] },
      serviceAccount: true,
    }),
    ...overrides,
  })
  const result = routePolicy(context).request(exchange)
  return { code: codeOf(result), exchange, context }
}

function codeOf(result: StepResult | Promise<StepResult>): string | undefined {
  if (result === undefined) return undefined
  if (!('code' in result)) throw new Error('the result is no refusal with a code')
  return result.code
}

describe('expressions know', () => {
  test.each([
    'subject == "alice"',
    'roles == ["reader"]',
    'scopes == ["items.read", "items.list"]',
    'tenant == "acme"',
    '"night-shift" in claims.groups',
    'service_account',
    'route == "create-optimization"',
    'method == "POST"',
    'params.campaignId == "c-1"',
    'query.tag == ["a", "b"]',
    'query["__proto__"] == ["p"]',
    'headers["x-region"] == "eu"',
    'now > timestamp("2026-01-01T00:00:00Z")',
    '!headers.exists(name, name.contains("actor") || name.contains("forwarded") || name.contains("cert"))',
    '!("authorization" in headers) && !("proxy-authorization" in headers) && !("cookie" in headers)',
  ])('%s', (allow) => {
    expect(judge({ allow }).code).toBeUndefined()
    const denied = judge({ allow: `!(${allow})` })
    expect(denied.code).toBe('POLICY_DENIED')
    expect(denied.exchange.deniedPolicy).toBe('create-optimization')
  })

  test.each([
    'subject == ""',
    'roles.size() == 0',
    'scopes.size() == 0',
    'tenant == ""',
    'claims.size() == 0',
    '!service_account',
  ])('of a request without a token that %s', (allow) => {
    const nobody = { identity: undefined, tenantId: undefined }
    expect(judge({ allow }, nobody).code).toBeUndefined()
    expect(judge({ allow: `!(${allow})` }, nobody).code).toBe('POLICY_DENIED')
  })
})

test('an expression that fails denies, and the log has the reason', () => {
  const { code, context } = judge({ allow: 'claims.missing == "x"' })
  expect(code).toBe('POLICY_DENIED')
  expect(context.lines).toEqual([
    {
      level: 'debug',
      message: 'a policy failed and denied',
      fields: { request_id: 'req-1', reason: expect.stringContaining('missing') },
    },
  ])
})

test('all scopes are needed, and they are judged before the expression', () => {
  expect(judge({ scopes: ['items.read', 'items.list'] }).code).toBeUndefined()
  const denied = judge({ scopes: ['items.read', 'items.write'], allow: 'false' })
  expect(denied.code).toBe('INSUFFICIENT_SCOPE')
  expect(denied.exchange.deniedPolicy).toBe('create-optimization')
  expect(judge({ scopes: ['items.read'] }, { identity: undefined }).code).toBe('INSUFFICIENT_SCOPE')
  expect(judge({ scopes: ['items.read'], allow: 'false' }).code).toBe('POLICY_DENIED')
})

test('a request without conditions or without a route is not judged', () => {
  expect(judge({}).code).toBeUndefined()
  const { code, exchange } = judge({ allow: 'false' }, { route: undefined })
  expect([code, exchange.deniedPolicy]).toEqual([undefined, undefined])
})

test.each<[Partial<RouteConfig>, boolean, string]>([
  [{}, false, 'the route names neither scopes nor allow'],
  [{ scopes: ['a'] }, true, 'wants scope a'],
  [{ scopes: ['a', 'b'] }, true, 'wants scopes a, b'],
  [{ allow: 'true' }, true, 'wants its expression'],
  [{ scopes: ['a'], allow: 'true' }, true, 'wants scope a and its expression'],
])('the plan of %j', (route, runs, why) => {
  expect(planRoutePolicy(makeRoute(route))).toEqual({ runs, why })
  expect(routePolicy(makeContext()).plan?.(makeRoute(route))).toEqual({ runs, why })
})
