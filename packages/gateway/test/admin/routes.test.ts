import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { startAdmin } from './harness/start-admin.ts'

const SECRETS = ['shhh', 'hunter2', 'key-in-a-query', 'and-another']

const plugins = {
  'token-validator': {
    issuers: [
      {
        issuer: 'https://id.example.test',
        audience: ['agentic'],
        algorithms: ['HS256'],
        hs256_secret: 'shhh'.repeat(8),
      },
    ],
  },
  'tenant-injector': {
    webhook: {
      url: 'http://127.0.0.1:9/principals/{principal}?api_key=key-in-a-query&who={principal}',
      headers: { 'X-Api-Key': 'hunter2', Accept: 'hunter2' },
    },
  },
  'license-check': { tenants: { acme: { features: ['optimize'] } } },
  'prompt-sanitize': { rules: [{ name: 'email', builtin: 'email' }] },
}

async function read(adminUrl: string) {
  const { status, body } = await sendRequest(`${adminUrl}/api/routes`)
  expect(status).toBe(200)
  return { text: body.toString(), value: JSON.parse(body.toString()) }
}

test('routes are shown with the plan and reason of each plugin, services with their routes', async () => {
  const routes = [
    {
      id: 'create',
      method: 'POST',
      path: '/c/{id}',
      target: 'http://127.0.0.1:9/base',
      roles: ['a', 'b'],
      scopes: ['c.write'],
      allow: 'tenant == "acme"',
      license: 'optimize',
      executionTimeoutSeconds: 5,
      conformance: 'enforce',
    },
    { id: 'read', method: 'GET', path: '/c/{id}', target: 'http://127.0.0.1:9' },
    { id: 'stream', method: 'POST', path: '/s', target: 'https://llm.example.test/v1', mode: 'sse' },
  ]
  const { adminUrl } = await startAdmin({ config: { plugins, routes } })
  const { value } = await read(adminUrl)
  expect(value.routes[0]).toEqual({
    id: 'create',
    method: 'POST',
    path: '/c/{id}',
    target: 'http://127.0.0.1:9/base',
    upstream: null,
    mode: 'json',
    executionTimeoutSeconds: 5,
    roles: ['a', 'b'],
    scopes: ['c.write'],
    allow: 'tenant == "acme"',
    license: 'optimize',
    conformance: 'enforce',
    plugins: [
      { name: 'token-validator', runs: true, because: 'wants a token of the issuer with roles a, b' },
      {
        name: 'tenant-injector',
        runs: true,
        because: 'takes the tenant from the directory, for service accounts from the header',
      },
      { name: 'route-policy', runs: true, because: 'wants scope c.write and its expression' },
      { name: 'rate-limits', runs: false, because: 'no policy of gateway.rate_limits counts the route' },
      { name: 'license-check', runs: true, because: 'wants a licence for the feature optimize' },
      { name: 'prompt-sanitize', runs: true, because: 'looks at path, query and body with rule email' },
      { name: 'otel-audit', runs: true, because: 'writes a record to stdout' },
      { name: 'upstream', runs: true, because: 'the request goes to http://127.0.0.1:9' },
    ],
    tool: null,
  })
  expect(value.routes[1]).toMatchObject({ license: null, roles: [], scopes: [], allow: null })
  expect(value.routes[1].plugins[4]).toEqual({
    name: 'license-check',
    runs: false,
    because: 'the route names no license',
  })
  expect(value.services).toEqual([
    { origin: 'http://127.0.0.1:9', routes: ['create', 'read'] },
    { origin: 'https://llm.example.test', routes: ['stream'] },
  ])
  expect(value.plugins.map(({ name, configured }: Record<string, unknown>) => [name, configured])).toEqual([
    ['token-validator', true],
    ['tenant-injector', true],
    ['route-policy', true],
    ['rate-limits', false],
    ['license-check', true],
    ['prompt-sanitize', true],
    ['otel-audit', true],
    ['upstream', true],
  ])
})

test('idle plugins say so', async () => {
  const { adminUrl } = await startAdmin({ config: { plugins: { 'otel-audit': { enabled: false } } } })
  const { value } = await read(adminUrl)
  expect(value.plugins.map(({ configured }: Record<string, unknown>) => configured)).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
    false,
    true,
  ])
  expect(value.routes[0].plugins.map(({ because }: Record<string, unknown>) => because).slice(0, 7)).toEqual([
    'its mode is off',
    'takes the tenant from the header',
    'the route names neither scopes nor allow',
    'no policy of gateway.rate_limits counts the route',
    'the route names no license',
    'it has no rules',
    'enabled is false',
  ])
})

test('no secret of the configuration is shown', async () => {
  const { adminUrl } = await startAdmin({ config: { plugins, routes: [] } })
  const { text, value } = await read(adminUrl)
  for (const secret of SECRETS) expect(text).not.toContain(secret)
  const [validator, injector] = value.plugins
  expect(validator.configuration.issuers[0]).toMatchObject({
    hs256_secret: '[hidden]',
    issuer: 'https://id.example.test',
    token_types: ['at+jwt', 'JWT'],
  })
  expect(validator.configuration.max_token_bytes).toBe(8192)
  expect(injector.configuration.webhook).toMatchObject({
    url: 'http://127.0.0.1:9/[hidden]/{principal}?api_key=[hidden]&who={principal}',
    headers: { 'X-Api-Key': '[hidden]', Accept: '[hidden]' },
  })
})

test('upstreams are shown with the address, weight, state and load of their targets', async () => {
  const targets = ['http://127.0.0.1:9', { url: 'http://127.0.0.1:10/base', weight: 3 }]
  const { adminUrl } = await startAdmin({
    config: {
      upstreams: { service: { targets } },
      routes: [{ id: 'read', method: 'GET', path: '/c', upstream: 'service' }],
    },
  })
  const { value } = await read(adminUrl)
  expect(value.upstreams).toEqual([
    {
      name: 'service',
      resolved: true,
      targets: [
        { number: '1', url: 'http://127.0.0.1:9', weight: 1, state: 'up', active: 0 },
        { number: '2', url: 'http://127.0.0.1:10/base', weight: 3, state: 'up', active: 0 },
      ],
    },
  ])
  expect(value.routes[0]).toMatchObject({ target: null, upstream: 'service' })
  expect(value.routes[0].plugins.at(-1)).toMatchObject({ because: 'the request goes to a target of service' })
  expect(value.services).toEqual([
    { origin: 'http://127.0.0.1:9', routes: ['read'] },
    { origin: 'http://127.0.0.1:10', routes: ['read'] },
  ])
})
