import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatFaults } from './faults.ts'
import { parseConfig } from './parse-config.ts'

const OFF = 'plugins.token-validator.mode: is off, every request is accepted without a token'
const headerDecides = (reach: string) =>
  `plugins.tenant-injector.trust_header: is everyone, a caller without a tenant claim is let into ${reach} that the ` +
  'X-Tenant-ID header names; put a tenant claim into the tokens or ask a directory by webhook'
const anyAudience = (index: number) =>
  `plugins.token-validator.issuers[${index}].audience: is empty, tokens that this issuer made for other services are accepted too`

const issuer = { issuer: 'https://id.example.test', audience: ['agentic'] }
const agents = { issuer: 'https://agents.example.test', audience: ['agentic'], service_account: true }
const allowed = ['acme']
const webhook = { url: 'https://directory.example.test/{principal}' }
const closed = { 'token-validator': { issuers: [issuer] }, 'tenant-injector': { allowed } }

function warningsIn(text: string, env: Record<string, string> = {}) {
  const result = parseConfig(text, { file: 'gateway.yaml', env })
  if (!result.ok) throw new Error(formatFaults(result.faults))
  // Its own test is in unsaid-forwarding.test.ts: the routes here are about other keys.
  return result.warnings.filter(({ id }) => id !== 'token-forwarded')
}

function warningsFor(validator: Record<string, unknown>, injector: Record<string, unknown> = {}) {
  const plugins = { 'token-validator': validator, 'tenant-injector': injector }
  return warningsIn(JSON.stringify({ plugins, routes: [] })).map(({ path, message }) => `${path}: ${message}`)
}

function idsOf(routes: readonly Record<string, unknown>[]): string[] {
  const whole = routes.map((route, index) => ({
    id: `route-${index}`,
    method: 'POST',
    target: 'http://127.0.0.1:9',
    ...route,
  }))
  return warningsIn(JSON.stringify({ plugins: closed, routes: whole })).map(({ id, path }) => `${id} ${path}`)
}

test('an audience and a bound on tenants leave nothing to warn of', () => {
  expect(warningsFor({ issuers: [issuer, agents] }, { allowed })).toEqual([])
  expect(warningsFor({ issuers: [issuer, agents] }, { webhook })).toEqual([])
})

test('each issuer whose audience is empty is named by its place', () => {
  const open = { issuer: 'https://other.example.test', audience: [] }
  const { audience: _, ...without } = agents
  expect(warningsFor({ issuers: [open, issuer, without] }, { allowed })).toEqual([
    anyAudience(0),
    anyAudience(2),
  ])
})

test('a directory that cannot tell the callers of two issuers apart is warned of', () => {
  const other = { issuer: 'https://other.example.test', audience: ['agentic'] }
  expect(warningsFor({ issuers: [issuer, agents, other] }, { webhook })).toEqual([
    'plugins.tenant-injector.webhook.url: has no {issuer}, a subject that 2 issuers know gets the same tenants from each of ' +
      'them; put {issuer} into the address',
  ])
  const url = 'https://directory.example.test/{issuer}/{principal}'
  expect(warningsFor({ issuers: [issuer, other] }, { webhook: { url } })).toEqual([])
})

test('a header that alone decides the tenant of a caller is warned of, with the ways to close it', () => {
  const trust_header = 'everyone'
  expect(warningsFor({ issuers: [issuer] }, { trust_header })).toEqual([headerDecides('any tenant')])
  expect(warningsFor({ issuers: [issuer] }, { trust_header, allowed })).toEqual([
    headerDecides('any allowed tenant'),
  ])
  expect(warningsFor({ issuers: [issuer, agents] })).toEqual([])
})

test('without tokens issuers are not used and not warned of', () => {
  const warned = [OFF, headerDecides('any tenant')]
  const everyone = { trust_header: 'everyone' }
  expect(warningsFor({ mode: 'off' }, everyone)).toEqual(warned)
  expect(warningsFor({ mode: 'off', issuers: [{ issuer: 'https://id.example.test' }] }, everyone)).toEqual(
    warned,
  )
})

test('no warning repeats a value of the file', () => {
  const secretive = { issuer: 'https://do-not-show.example.test', claims: { tenant: 'do-not-show' } }
  const warnings = warningsFor({ issuers: [secretive] }, { trust_header: 'everyone' })
  expect(warnings).toHaveLength(2)
  expect(warnings.join()).not.toContain('do-not-show')
})

test('each warning has an id, its key and the place of the value, or of the key that lacks it', () => {
  const text = `plugins:
  token-validator:
    issuers:
      - issuer: https://id.example.test
  tenant-injector: { allowed: [acme] }
routes:
  - id: stream
    method: POST
    path: /llm/completions
    target: http://127.0.0.1:9
    mode: sse
  - { id: ask, method: POST, path: /agents/invoke, target: "http://127.0.0.1:9" }
`
  expect(warningsIn(text).map(({ message: _, ...rest }) => rest)).toEqual([
    {
      id: 'audience-missing',
      file: 'gateway.yaml',
      line: 4,
      column: 9,
      path: 'plugins.token-validator.issuers[0].audience',
    },
    {
      id: 'sse-without-deadline',
      file: 'gateway.yaml',
      line: 7,
      column: 5,
      path: 'routes[0].executionTimeoutSeconds',
    },
    { id: 'generic-invoke', file: 'gateway.yaml', line: 12, column: 36, path: 'routes[1].path' },
  ])
})

test('a counted stream that is not asked for its tokens is warned of', () => {
  const target = 'http://127.0.0.1:9'
  const stream = { method: 'POST', target, mode: 'sse', executionTimeoutSeconds: 1 }
  const routes = [
    { ...stream, id: 'off', path: '/off', inject_usage: false },
    { ...stream, id: 'absent', path: '/absent' },
    { ...stream, id: 'uncounted', path: '/uncounted', inject_usage: false },
    { ...stream, id: 'messages', path: '/v1/messages', inject_usage: false },
    { ...stream, id: 'json', path: '/json', inject_usage: false, mode: 'json' },
  ]
  const counted = routes.map(({ id }) => id).filter((id) => id !== 'uncounted')
  const warned = (limit: object) =>
    warningsIn(
      JSON.stringify({
        gateway: {
          rate_limits: [{ name: 'limit', routes: counted, ...limit }],
          prices: { models: [{ model: '*', input: 1, output: 1 }] },
        },
        plugins: closed,
        routes,
      }),
    ).map(({ id, path }) => `${id} ${path}`)
  expect(warned({ tokens: 5000, per: 'day' })).toEqual(['usage-not-asked routes[0].inject_usage'])
  expect(warned({ cost: 5, per: 'day' })).toEqual(['usage-not-asked routes[0].inject_usage'])
  expect(warned({ requests: 5, per_seconds: 1 })).toEqual([])
})

test('keys in memory and keyed requests without a deadline are warned of', () => {
  const keyed = { path: '/a', idempotency: { mode: 'required' } }
  expect(idsOf([keyed, { path: '/b', idempotency: { mode: 'off' } }])).toEqual([
    'keys-in-memory gateway.idempotency.store',
    'keyed-without-deadline routes[0].executionTimeoutSeconds',
  ])
  expect(idsOf([{ ...keyed, executionTimeoutSeconds: 30 }])).toEqual([
    'keys-in-memory gateway.idempotency.store',
  ])
})

test('key files of sessions without a store that gateways share are warned of', () => {
  const warned = (gateway: Record<string, unknown>) =>
    warningsIn(JSON.stringify({ gateway, plugins: closed, routes: [] })).map(
      ({ id, path }) => `${id} ${path}`,
    )
  const key_files = ['key']
  const sign_in = { issuer: issuer.issuer, client_id: 'agentic-gateway', key_files }
  expect(warned({ approvals_page: { key_files } })).toEqual([
    'sessions-in-memory gateway.approvals_page.key_files',
  ])
  expect(warned({ sign_in })).toEqual(['sessions-in-memory gateway.sign_in.key_files'])
  const shared = { redis_url: 'redis://127.0.0.1:6379' }
  expect(warned({ sign_in, shared })).toEqual([])
  expect(warned({ approvals_page: {} })).toEqual([])
})

test('a stream without a deadline is warned of, and nothing else without one', () => {
  expect(
    idsOf([
      { path: '/streams', mode: 'sse' },
      { path: '/other-streams', mode: 'sse', executionTimeoutSeconds: 1 },
      { path: '/plain' },
    ]),
  ).toEqual(['sse-without-deadline routes[0].executionTimeoutSeconds'])
})

test.each([
  '/',
  '/invoke',
  '/agents/{agentId}/invoke',
  '/agents/{agent}',
  '/tools/{toolName}',
  '/v1/Execute',
  '/agents:run',
  '/agent',
  '/{operation}',
  '/v1/agents/{name}',
  '/tools/{key}',
  '/invoke/{x}',
  '/invoke/{agentId}',
  '/run/{what}',
])('POST %s is a generic invoke endpoint in disguise', (path) => {
  expect(idsOf([{ path }])).toEqual(['generic-invoke routes[0].path'])
})

test.each([
  { path: '/chat/invoke', method: 'PUT' },
  { path: '/agents:execute', method: 'PATCH' },
  { path: '/invoke/{x}', method: 'PUT' },
])('$method $path is one as well', (route) => {
  expect(idsOf([route])).toEqual(['generic-invoke routes[0].path'])
})

test.each([
  { path: '/campaigns/{campaignId}/optimizations' },
  { path: '/chat/{chatId}' },
  { path: '/campaigns/{name}' },
  { path: '/agents/{name}', method: 'PUT' },
  { path: '/settings/prompt', method: 'PUT' },
  { path: '/', method: 'PUT' },
  { path: '/llm/completions' },
  { path: '/operations/{operationId}/cancel' },
  { path: '/approvals/{approvalId}/approve' },
  { path: '/agents' },
  { path: '/agents/{agentId}' },
  { path: '/pipelines/{pipelineId}/runs' },
  { path: '/agents/{agent}', method: 'DELETE' },
  { path: '/run', method: 'GET' },
])('$path is an operation of a resource', (route) => {
  expect(idsOf([route])).toEqual([])
})

const secretive = (secret: string, header: string) => `
plugins:
  token-validator:
    issuers: [ { issuer: tests, audience: [a], algorithms: [HS256], hs256_secret: ${secret} } ]
  tenant-injector:
    webhook: { url: "http://127.0.0.1:9/{principal}", headers: { X-Api-Key: ${header}, X-Region: north } }
routes: []
`
const secret = 'do-not-show-0123456789-0123456789'

test('a secret in plain text is warned of without showing it, and so is one that is a default', () => {
  const text = secretive(secret, `"\${KEY:-${secret}}"`)
  const warnings = warningsIn(text, { KEY: '' })
  expect(warnings.map(({ id, line, path }) => `${id} ${line} ${path}`)).toEqual([
    'plain-text-secret 4 plugins.token-validator.issuers[0].hs256_secret',
    'plain-text-secret 6 plugins.tenant-injector.webhook.headers.X-Api-Key',
  ])
  expect(JSON.stringify(warnings)).not.toContain('do-not-show')
})

test('a secret from the environment is not warned of', () => {
  const text = secretive('"${SECRET}"', '"Key ${SECRET:-none}"')
  expect(warningsIn(text, { SECRET: secret })).toEqual([])
})

test.each(['X-Api', 'x-api-id', 'X-ApiAccess', 'Ocp-Apim-Subscription-Key'])(
  'the header %s of a webhook holds a secret',
  (name) => {
    const warnings = warningsIn(secretive('"${SECRET}"', secret).replace('X-Api-Key', name), {
      SECRET: secret,
    })
    expect(warnings.map(({ id, path }) => `${id} ${path}`)).toEqual([
      `plain-text-secret plugins.tenant-injector.webhook.headers.${name}`,
    ])
  },
)

const asked = (query: string) => `
plugins:
  token-validator: { issuers: [ { issuer: tests, audience: [a], jwks_uri: "http://127.0.0.1:9/keys" } ] }
  license-check: { webhook: { url: "http://\${HOST}/{tenant}/{feature}?${query}" } }
routes: []
`
const HOST = '127.0.0.1:9'

test.each([
  `key=${secret}`,
  `k=${secret}`,
  `region=north&apiKey=${secret}`,
  `X-Api=${secret}`,
  `subscription-key=${secret}`,
  `sig=\${KEY:-${secret}}`,
])('a secret in the address of a webhook is warned of without showing it: ?%s', (query) => {
  const warnings = warningsIn(asked(query), { HOST }).filter(({ id }) => id === 'plain-text-secret')
  expect(warnings.map(({ line, path, message }) => [line, path, message])).toEqual([
    [
      4,
      'plugins.license-check.webhook.url',
      'has a secret in plain text, take it from the environment: ${NAME:?is needed}',
    ],
  ])
})

test('a secret in any other address is warned of too: key sets, introspection, anchor, collector, plugins', () => {
  const issuer = {
    issuer: 'https://id.test/?key=that-every-token-has',
    audience: ['a'],
    jwks_uri: `http://127.0.0.1:9/keys?k=${secret}`,
    introspection: { url: `http://127.0.0.1:9/?key=${secret}`, client_id: 'a', client_secret_file: 'a' },
  }
  const seal = { key_file: 'a', name: 'log.test/a' }
  const anchor = { url: `http://127.0.0.1:9/?token=${secret}` }
  const audit = { exporter: 'file', file: 'a', seal, head_file: '/elsewhere/head', anchor }
  const collector = { otlp_endpoint: `http://127.0.0.1:9/?X-Api-Access=${secret}` }
  const options = {
    base: `http://127.0.0.1:9/?subscription-key=${secret}`,
    other: 'http://127.0.0.1:9/?page=1',
  }
  const plugins = {
    'token-validator': { issuers: [issuer] },
    'otel-audit': { ...audit, ...collector },
    custom: [{ name: 'mine', module: 'mine.ts', options }],
  }
  const warnings = warningsIn(JSON.stringify({ plugins, routes: [] }))
  expect(warnings.map(({ id, path }) => `${id} ${path}`)).toEqual([
    'plain-text-secret plugins.token-validator.issuers[0].jwks_uri',
    'plain-text-secret plugins.token-validator.issuers[0].introspection.url',
    'plain-text-secret plugins.otel-audit.anchor.url',
    'plain-text-secret plugins.otel-audit.otlp_endpoint',
    'plain-text-secret plugins.custom[0].options.base',
  ])
  expect(JSON.stringify(warnings)).not.toContain('do-not-show')
})

test.each(['key=${KEY}', 'token=v1.${KEY:-none}', 'key={tenant}', 'region=north', 'key='])(
  'what is no secret of the file is not: ?%s',
  (query) => {
    const warnings = warningsIn(asked(query), { HOST, KEY: secret })
    expect(warnings.filter(({ id }) => id === 'plain-text-secret')).toEqual([])
  },
)

test('an admin listener without a role is warned of, since nobody could use it', () => {
  const warnings = (gateway: Record<string, unknown>) =>
    warningsIn(JSON.stringify({ gateway, plugins: closed, routes: [] })).map(
      ({ id, path }) => `${id} ${path}`,
    )
  expect(warnings({ admin: {} })).toEqual(['admin-without-role gateway.admin'])
  expect(warnings({ admin: { role: 'operator' } })).toEqual([])
  expect(warnings({})).toEqual([])
})

const onRedis = (address: string) => `
gateway: { shared: { redis_url: "${address}" } }
plugins: ${JSON.stringify(closed)}
routes: []
`
const REDIS_PASSWORD = 'do-not-show'

test.each([
  `redis://:${REDIS_PASSWORD}@127.0.0.1`,
  `redis://user:${REDIS_PASSWORD}@127.0.0.1:6379/1`,
  `rediss://user:\${OTHER:-${REDIS_PASSWORD}}@\${HOST}/1`,
])('a password in the address of Redis is warned of without showing it: %s', (address) => {
  const warnings = warningsIn(onRedis(address), { HOST: 'redis.example.test' })
  expect(warnings).toEqual([
    {
      id: 'plain-text-secret',
      file: 'gateway.yaml',
      line: 2,
      column: 33,
      path: 'gateway.shared.redis_url',
      message: 'has a secret in plain text, take it from the environment: ${NAME:?is needed}',
    },
  ])
})

test.each([
  'redis://127.0.0.1',
  'redis://user@127.0.0.1',
  '${REDIS_URL}',
  'redis://:${PASSWORD}@127.0.0.1/1',
])(
  'an address of Redis without a password, or with one from the environment, is not warned of: %s',
  (address) => {
    const env = { REDIS_URL: `redis://:${REDIS_PASSWORD}@127.0.0.1`, PASSWORD: REDIS_PASSWORD }
    expect(warningsIn(onRedis(address), env)).toEqual([])
  },
)

describe('neighbours of a parameter', () => {
  const read = { method: 'GET', path: '/items/{id}', roles: ['reader', 'staff'] }
  const unequal = (index: number) => [`unequal-neighbours routes[${index}].path`]

  test.each([
    ['other roles', { roles: ['admin'] }],
    ['no roles', { roles: [] }],
    ['scopes', { roles: read.roles, scopes: ['export'] }],
    ['a policy', { roles: read.roles, allow: 'tenant == "acme"' }],
    ['a licence', { roles: read.roles, license: 'export' }],
  ])('with %s are warned of', (_title, access) => {
    const plugins = { ...closed, 'license-check': { tenants: { acme: { features: ['export'] } } } }
    const routes = [read, { method: 'GET', path: '/items/export', ...access }].map((route, index) => ({
      id: `r${index}`,
      target: 'http://127.0.0.1:9',
      ...route,
    }))
    expect(warningsIn(JSON.stringify({ plugins, routes })).map(({ id, path }) => `${id} ${path}`)).toEqual(
      unequal(1),
    )
  })

  test.each([
    [[read, { ...read, path: '/items/export', roles: ['staff', 'reader'] }], []],
    [
      [
        { ...read, path: '/items/export' },
        { ...read, roles: [] },
      ],
      unequal(0),
    ],
    [[read, { method: 'PUT', path: '/items/export' }], []],
    [[read, { method: 'GET', path: '/items/export/all' }], []],
    [[read, { method: 'GET', path: '/orders/export' }], []],
    [[read, { method: 'GET', path: '/Items/export;x' }], unequal(1)],
    [
      [
        { method: 'GET', path: '/a/{x}/c' },
        { ...read, path: '/a/b/{y}' },
      ],
      [],
    ],
    [
      [
        { method: 'GET', path: '/a/{x}/{y}' },
        { ...read, path: '/a/b/{y}' },
      ],
      unequal(1),
    ],
    [
      [
        { method: 'GET', path: '/{x}/b' },
        { method: 'GET', path: '/a/{y}' },
        { ...read, path: '/a/b' },
      ],
      [...unequal(2), ...unequal(2)],
    ],
    [
      [
        { method: 'GET', path: '/a/{x}' },
        { ...read, path: '/A/{x}' },
      ],
      [],
    ],
  ])('%j: %j', (routes, expected) => {
    expect(idsOf(routes)).toEqual(expected)
  })

  test('the message names the other route and the keys', () => {
    const routes = [read, { method: 'GET', path: '/items/export', scopes: ['s'] }].map((route, index) => ({
      id: `r${index}`,
      target: 'http://127.0.0.1:9',
      ...route,
    }))
    expect(warningsIn(JSON.stringify({ plugins: closed, routes })).map(({ message }) => message)).toEqual([
      'differs from routes[0], which has a parameter for a literal of this path, in roles, scopes; a service that reads ' +
        'paths less strictly could serve one for the other, so make them equal or name the paths apart',
    ])
  })

  test('thousands of routes are compared in a moment', () => {
    const routes = Array.from({ length: 4000 }, (_, index) => ({
      ...read,
      path: index % 2 === 0 ? `/r${index}/{id}` : `/r${index - 1}/export`,
      roles: [`r${index}`],
    }))
    expect(idsOf(routes)).toHaveLength(2000)
  })
})

test('addresses without TLS on another host are warned of, each by its key', () => {
  const open = {
    gateway: { shared: { redis_url: 'redis://redis.example.test:6379' } },
    plugins: {
      'token-validator': {
        issuers: [
          { ...issuer, jwks_uri: 'http://id.example.test/jwks' },
          { issuer: 'http://discovered.example.test/1', audience: ['agentic'] },
          { ...issuer, issuer: 'http://file.example.test/2', jwks_file: 'keys.json' },
          {
            ...issuer,
            issuer: 'http://secret.example.test/3',
            algorithms: ['HS256'],
            hs256_secret: `\${SECRET:?}`,
          },
          {
            ...issuer,
            issuer: 'http://asked.example.test/4',
            introspection: {
              url: 'http://asked.example.test/introspect',
              client_id: 'gateway',
              client_secret_file: 'secret',
            },
          },
        ],
      },
      'tenant-injector': { webhook: { url: 'http://directory.example.test/{issuer}/{principal}' } },
      'license-check': { webhook: { url: 'http://licences.example.test/{tenant}/{feature}' } },
      'otel-audit': { exporter: 'otlp', otlp_endpoint: 'http://collector.example.test:4317' },
    },
    routes: [
      { id: 'a', method: 'GET', path: '/a', target: 'http://a.example.test' },
      { id: 'b', method: 'GET', path: '/b', target: 'http://b.example.test', forwardAuthorization: false },
      { id: 'c', method: 'GET', path: '/c', target: 'http://10.0.0.1:8080' },
    ],
  }
  const env = { SECRET: 'x'.repeat(32) }
  const warned = warningsIn(JSON.stringify(open), env)
  expect(new Set(warned.map(({ id }) => id))).toEqual(new Set(['plain-connection']))
  expect(warned.map(({ path }) => path)).toEqual([
    'gateway.shared.redis_url',
    'plugins.token-validator.issuers[0].jwks_uri',
    'plugins.token-validator.issuers[1].issuer',
    'plugins.token-validator.issuers[4].introspection.url',
    'plugins.tenant-injector.webhook.url',
    'plugins.license-check.webhook.url',
    'plugins.otel-audit.otlp_endpoint',
    'routes[0].target',
    'routes[2].target',
  ])
  expect(warned.map(({ message }) => message).join()).not.toContain('example')
  const withTls = JSON.stringify(open).replaceAll('http:', 'https:').replaceAll('redis:', 'rediss:')
  expect(warningsIn(withTls, env)).toEqual([])
  for (const loopback of ['127.0.0.1', '127.8.0.1', 'localhost', '[::1]'])
    expect(
      warningsIn(JSON.stringify(open).replaceAll(/[a-z]+\.example\.test|10\.0\.0\.1/g, loopback), env),
    ).toEqual([])
})

test('the address of Redis in a file is judged where the file can be read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-warnings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'redis')
  const pathsWith = () =>
    warningsIn(
      JSON.stringify({ gateway: { shared: { redis_url_file: file } }, plugins: closed, routes: [] }),
    ).map(({ id, path }) => `${id} ${path}`)
  expect(pathsWith()).toEqual([])
  writeFileSync(file, 'redis://:secret@redis.example.test:6379\n')
  expect(pathsWith()).toEqual(['plain-connection gateway.shared.redis_url_file'])
  writeFileSync(file, 'rediss://:secret@redis.example.test:6379\n')
  expect(pathsWith()).toEqual([])
})

test('a collector that is not used is not warned of', () => {
  const plain = { otlp_endpoint: 'http://collector.example.test:4317' }
  const audited = (more: object) =>
    warningsIn(JSON.stringify({ plugins: { ...closed, 'otel-audit': { ...plain, ...more } }, routes: [] }))
  expect(audited({ exporter: 'stdout' })).toEqual([])
  expect(audited({ exporter: 'otlp', enabled: false })).toEqual([])
  expect(audited({ exporter: 'otlp' })).toHaveLength(1)
})

test('an anchor on another host without TLS is warned of, and none on this machine', () => {
  const warnedFor = (url: string, enabled = true) => {
    const seal = { key_file: 'audit-key.pem', name: 'a.test' }
    const audit = { exporter: 'file', file: 'audit.jsonl', seal, anchor: { url }, enabled }
    const text = JSON.stringify({ plugins: { ...closed, 'otel-audit': audit }, routes: [] })
    return warningsIn(text).map(({ id, path, message }) => `${id} ${path}: ${message}`)
  }
  expect(warnedFor('http://anchor.example.test/checkpoints')).toEqual([
    expect.stringMatching(
      /^plain-connection plugins\.otel-audit\.anchor\.url: .*checkpoints can be changed on the way; use https$/,
    ),
  ])
  expect(warnedFor('http://10.0.0.1/checkpoints')).toHaveLength(1)
  expect(warnedFor('http://anchor.example.test/checkpoints', false)).toEqual([])
  for (const origin of ['https://anchor.example.test', 'http://127.0.0.1:9', 'http://localhost:9'])
    expect(warnedFor(`${origin}/checkpoints`)).toEqual([])
})

test('a head file beside a sealed log is warned of, unless checkpoints are kept elsewhere', () => {
  const seal = { key_file: 'key.pem', name: 'agents.example.com/audit' }
  const warnedFor = (more: object) => {
    const audit = { exporter: 'file', file: '/var/audit/audit.jsonl', seal, ...more }
    const text = JSON.stringify({ plugins: { ...closed, 'otel-audit': audit }, routes: [] })
    return warningsIn(text).map(({ id, path }) => `${id} ${path}`)
  }
  expect(warnedFor({})).toEqual(['head-beside-log plugins.otel-audit.seal'])
  expect(warnedFor({ head_file: '/var/audit/a.head' })).toEqual([
    'head-beside-log plugins.otel-audit.head_file',
  ])
  expect(warnedFor({ head_file: '/mnt/head/a.head' })).toEqual([])
  expect(warnedFor({ anchor: { url: 'https://anchor.example.test' } })).toEqual([])
  expect(warnedFor({ enabled: false })).toEqual([])
  expect(warnedFor({ seal: undefined })).toEqual([])
})

test.each(['0.0.0.0', '0', '::', '0:0::0', '::ffff:0.0.0.0'])(
  'a listener on %s without TLS is warned of',
  (host) => {
    const pathsOf = (gateway: object) =>
      warningsIn(JSON.stringify({ gateway, plugins: closed, routes: [] })).map(
        ({ id, path }) => `${id} ${path}`,
      )
    expect(pathsOf({ host })).toEqual(['listener-without-tls gateway.host'])
    expect(pathsOf({ host, tls: { cert_file: 'a.crt', key_file: 'a.key' } })).toEqual([])
    expect(pathsOf({ admin: { host, role: 'ops' } })).toEqual(['listener-without-tls gateway.admin.host'])
    expect(pathsOf({ admin: { host, role: 'ops', tls: { cert_file: 'a.crt', key_file: 'a.key' } } })).toEqual(
      [],
    )
    expect(pathsOf({ host: '192.0.2.1', admin: { host: '::1', role: 'ops' } })).toEqual([])
  },
)

test('more than 100 tools, and a tool that nothing describes, are warned of', () => {
  const toolsOf = (count: number, mcp: object) =>
    Array.from({ length: count }, (_, index) => ({
      id: `tool-${index}`,
      method: 'POST',
      path: `/things-${index}`,
      target: 'http://127.0.0.1:9',
      mcp,
    }))
  const idsFor = (routes: readonly object[]) =>
    warningsIn(JSON.stringify({ plugins: closed, mcp: {}, routes })).map(({ id, path }) => `${id} ${path}`)
  expect(idsFor(toolsOf(100, {}))).toEqual([])
  expect(idsFor(toolsOf(101, {}))).toEqual(['many-tools mcp'])
  expect(idsFor(toolsOf(1, { input: 'none' }))).toEqual(['tool-without-description routes[0].mcp'])
  expect(idsFor(toolsOf(1, { input: 'none', description: 'Takes an order.' }))).toEqual([])
})

test('a secret for MCP that is written in the file is warned of', () => {
  const secret = '01234567890123456789012345678901'
  const warned = (text: string) =>
    warningsIn(JSON.stringify({ plugins: closed, mcp: { state_secrets: [text] }, routes: [] }), {
      SECRET: secret,
    }).map(({ id, path }) => `${id} ${path}`)
  expect(warned(secret)).toEqual(['plain-text-secret mcp.state_secrets[0]'])
  expect(warned('${SECRET}')).toEqual([])
})

test('targets of an upstream on another host without TLS are warned of where tokens are forwarded to them', () => {
  const upstreams = {
    listed: { targets: ['http://a.example.test', 'https://b.example.test', 'http://127.0.0.1:9'] },
    named: { dns: { name: 'agents.example.test', port: 80 } },
    secure: { dns: { name: 'agents.example.test', port: 443, scheme: 'https' } },
    unused: { targets: ['http://a.example.test'] },
    tokenless: { targets: ['http://a.example.test'] },
  }
  const routes = Object.keys(upstreams)
    .filter((name) => name !== 'unused')
    .map((name) => ({
      id: name,
      method: 'GET',
      path: `/${name}`,
      upstream: name,
      forwardAuthorization: name !== 'tokenless',
    }))
  const found = warningsIn(JSON.stringify({ plugins: closed, upstreams, routes }))
  expect(found.map(({ id, path }) => `${id} ${path}`)).toEqual([
    'plain-connection upstreams.listed.targets[0]',
    'plain-connection upstreams.named.dns.scheme',
  ])
})
