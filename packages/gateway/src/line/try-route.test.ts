import { expect, test } from 'vitest'
import { formatFaults } from '../config/faults.ts'
import { parseConfig } from '../config/parse-config.ts'
import { tryRoute } from './try-route.ts'

const target = 'http://127.0.0.1:9'
const routes = [
  { id: 'create', method: 'POST', path: '/items', target, roles: ['writer'], license: 'items' },
  { id: 'read', method: 'GET', path: '/items/{itemId}', target },
]
const issuers = [{ issuer: 'https://id.example.test', audience: ['agentic'] }]
const full = {
  'token-validator': { issuers },
  'tenant-injector': { allowed: ['acme', 'globex'] },
  'license-check': { tenants: { acme: { features: ['items'] } } },
  'prompt-sanitize': { rules: [{ name: 'email', builtin: 'email' }] },
}
const bare = {
  'token-validator': { mode: 'off' },
  'tenant-injector': { trust_header: 'everyone' },
  'otel-audit': { enabled: false },
}

function attempt(method: string, path: string, plugins: object = full, list: readonly object[] = routes) {
  const result = parseConfig(JSON.stringify({ plugins, routes: list }), { file: 'gateway.yaml', env: {} })
  if (!result.ok) throw new Error(formatFaults(result.faults))
  return tryRoute(result.config, { method, target: path })
}

test('a request has a route, its parameters and the plugins that run, in their order', () => {
  expect(attempt('POST', '/items?dry=true')).toMatchObject({
    type: 'route',
    route: { id: 'create' },
    params: {},
    plugins: [
      { name: 'token-validator', runs: true, why: 'wants a token of the issuer with role writer' },
      {
        name: 'tenant-injector',
        runs: true,
        why: 'takes the tenant from the claim tenant_id, for service accounts from the header; allowed: acme, globex',
      },
      { name: 'route-policy', runs: false, why: 'the route names neither scopes nor allow' },
      { name: 'rate-limits', runs: false, why: 'no policy of gateway.rate_limits counts the route' },
      { name: 'license-check', runs: true, why: 'wants a licence for the feature items' },
      { name: 'prompt-sanitize', runs: true, why: 'looks at path, query and body with rule email' },
      { name: 'otel-audit', runs: true, why: 'writes a record to stdout' },
    ],
  })
  expect(attempt('GET', '/items/a%20b')).toMatchObject({
    type: 'route',
    route: { id: 'read' },
    params: { itemId: 'a b' },
  })
})

test('a parameter value that names a neighbour is refused with its reason', () => {
  const target = 'http://127.0.0.1:9'
  const neighbours = [...routes, { id: 'export', method: 'GET', path: '/items/export', target }]
  expect(attempt('GET', '/items/EXPORT', full, neighbours)).toEqual({
    type: 'refused',
    reason: 'must not have a parameter value that names another route in other case or before a semicolon',
  })
  expect(attempt('GET', '/items/exports', full, neighbours)).toMatchObject({ route: { id: 'read' } })
})

test('a plugin that has nothing to do says why', () => {
  const trial = attempt('GET', '/items/1', bare, routes.slice(1))
  expect(trial.type === 'route' && trial.plugins.map(({ runs, why }) => `${runs} ${why}`)).toEqual([
    'false its mode is off',
    'true takes the tenant from the header',
    'false the route names neither scopes nor allow',
    'false no policy of gateway.rate_limits counts the route',
    'false the route names no license',
    'false it has no rules',
    'false enabled is false',
  ])
})

test('a route that wants roles is shut while nobody has one', () => {
  const shut = [{ id: 'shut', method: 'GET', path: '/shut', target, roles: ['a', 'b'] }]
  expect(attempt('GET', '/shut', bare, shut)).toMatchObject({
    plugins: [
      { runs: true, why: 'refuses everybody: its mode is off and the route wants roles a, b' },
      {},
      {},
      {},
      {},
      {},
      {},
    ],
  })
})

test('HEAD goes where GET goes', () => {
  expect(attempt('HEAD', '/items/1')).toMatchObject({ type: 'route', route: { id: 'read' } })
})

test('an unknown path, another method, an own path and a refused path are told apart', () => {
  expect(attempt('GET', '/nowhere/')).toEqual({ type: 'no_route', path: '/nowhere' })
  expect(attempt('DELETE', '/items')).toEqual({
    type: 'method_not_allowed',
    path: '/items',
    allowedMethods: ['POST'],
  })
  expect(attempt('GET', '/metrics')).toEqual({ type: 'own', path: '/metrics' })
  expect(attempt('POST', '/readyz')).toEqual({
    type: 'method_not_allowed',
    path: '/readyz',
    allowedMethods: ['GET', 'HEAD'],
  })
  expect(attempt('GET', '/items/../x')).toEqual({ type: 'refused', reason: 'must not have a dot segment' })
  expect(attempt('GET', 'items')).toEqual({ type: 'refused', reason: 'must start with a slash' })
})
