import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { GatewayConfig } from '../../src/config/config-schema.ts'
import { formatFaults } from '../../src/config/faults.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { parseConfig } from '../../src/config/parse-config.ts'

const environment = { STREAMS: '3', SECRET: '01234567890123456789012345678901', RECORD_REJECTED: 'true' }
const good = join(import.meta.dirname, 'good')
const pathOf = (name: string): string => join(good, `${name}.yaml`)

function load(name: string): GatewayConfig {
  const result = loadConfig(pathOf(name), environment)
  if (!result.ok) throw new Error(formatFaults(result.faults))
  // The shortest file there is leaves the audience open and does not say that tokens are forwarded.
  expect(result.warnings).toHaveLength(name === 'minimal' ? 2 : 0)
  return result.config
}

const defaultLimits = {
  max_body_bytes: 10_485_760,
  max_header_bytes: 16_384,
  max_headers: 100,
  max_connections: 10_000,
  max_streams_per_connection: 100,
  max_agentic_response_bytes: 1_048_576,
  max_in_flight: 4096,
  max_buffered_bytes: 268_435_456,
  max_upstream_connections_per_origin: 1024,
  max_upstream_queue_per_origin: 1024,
}
const defaultAudit = {
  enabled: true,
  exporter: 'stdout',
  otlp_endpoint: '',
  include_request_body: false,
  include_rejected: false,
  rotate: { max_bytes: 104_857_600, daily: true },
  attributes: [],
}
const defaultWebhook = {
  timeout_ms: 500,
  cache_ttl_seconds: 300,
  negative_ttl_seconds: 30,
  cache_max_entries: 10_000,
  headers: {},
  headers_files: {},
}
const defaultIssuer = {
  audience: [],
  algorithms: ['RS256', 'ES256', 'EdDSA'],
  token_types: ['at+jwt', 'JWT'],
  claims: { subject: 'sub', roles: 'roles' },
  service_account: false,
}
const defaultPolicy = { key: ['tenant'], on_store_failure: 'local' }
const defaultValidator = {
  mode: 'on',
  clock_skew_seconds: 30,
  end_streams_at_expiry: false,
  required_claims: ['sub'],
  max_token_bytes: 8192,
  actor_header: 'trust',
}
const defaultRoute = {
  mode: 'json',
  executionTimeoutSeconds: 0,
  roles: [],
  scopes: [],
  conformance: 'report',
  forwardAuthorization: true,
}

test('a minimal file gets every default', () => {
  expect(load('minimal')).toEqual({
    gateway: {
      host: '127.0.0.1',
      port: 8080,
      workers: 1,
      metrics: { port: 'main' },
      llm: { max_sse_connections_per_tenant: 10 },
      trusted_proxies: [],
      limits: defaultLimits,
      rate_limits: [],
      prices: { models: [] },
      idempotency: { store: 'memory' },
      drain_seconds: 25,
      drain_delay_seconds: 0,
    },
    plugins: {
      'token-validator': {
        ...defaultValidator,
        issuers: [{ ...defaultIssuer, issuer: 'https://id.example.test' }],
      },
      'tenant-injector': { claim: 'tenant_id', trust_header: 'service_accounts' },
      'license-check': { tenants: {} },
      'prompt-sanitize': { max_body_bytes: 1_048_576, uninspected: 'refuse', rules: [] },
      'otel-audit': defaultAudit,
    },
    upstreams: {},
    routes: [
      {
        ...defaultRoute,
        id: 'read-item',
        method: 'GET',
        path: '/items/{itemId}',
        target: 'http://127.0.0.1:9000',
      },
    ],
  })
})

test('the complete example of the design is read as it is meant', () => {
  expect(load('complete')).toEqual({
    gateway: {
      host: '127.0.0.1',
      port: 8080,
      workers: 1,
      admin: { host: '127.0.0.1', port: 8090, role: 'gateway:admin', hosts: [] },
      metrics: { port: 'main' },
      llm: { max_sse_connections_per_tenant: 10 },
      trusted_proxies: [],
      limits: defaultLimits,
      rate_limits: [],
      prices: { models: [] },
      idempotency: { store: 'memory' },
      drain_seconds: 25,
      drain_delay_seconds: 0,
      cors: { origins: ['http://127.0.0.1:8090'] },
    },
    plugins: {
      'token-validator': {
        ...defaultValidator,
        issuers: [
          {
            ...defaultIssuer,
            issuer: 'http://127.0.0.1:8085',
            jwks_uri: 'http://127.0.0.1:8085/jwks',
            audience: ['agentic'],
            claims: { subject: 'sub', roles: 'roles', tenant: 'tenant_id' },
          },
        ],
      },
      'tenant-injector': {
        claim: 'tenant_id',
        trust_header: 'service_accounts',
        allowed: ['acme', 'globex'],
        webhook: { ...defaultWebhook, url: 'http://127.0.0.1:8086/principals/{principal}' },
      },
      'license-check': { tenants: { acme: { features: ['optimize'], expires_at: '2027-01-01T00:00:00Z' } } },
      'prompt-sanitize': {
        max_body_bytes: 1_048_576,
        uninspected: 'refuse',
        rules: [
          { name: 'email', builtin: 'email', action: 'redact' },
          { name: 'jailbreak', keywords: ['ignore previous instructions'], action: 'reject' },
          { name: 'ticket', regex: 'TCK-[0-9]{6}', action: 'redact', replacement: '[ticket]' },
        ],
      },
      'otel-audit': {
        ...defaultAudit,
        attributes: [
          { field: 'region', from_header: 'X-Region' },
          { field: 'plan', from_claim: 'plan' },
          { field: 'operation', from_route_id: true },
        ],
      },
    },
    upstreams: {},
    routes: [
      {
        ...defaultRoute,
        id: 'create-optimization',
        method: 'POST',
        path: '/campaigns/{campaignId}/optimizations',
        target: 'http://127.0.0.1:8081',
        executionTimeoutSeconds: 30,
        roles: ['campaign:optimize'],
        license: 'optimize',
        conformance: 'enforce',
      },
      {
        ...defaultRoute,
        id: 'llm-completions',
        method: 'POST',
        path: '/llm/completions',
        target: 'http://127.0.0.1:8084',
        mode: 'sse',
        executionTimeoutSeconds: 60,
      },
    ],
  })
})

test('keys at their bounds are accepted, and file names start from the folder of the file', () => {
  const { gateway, plugins, upstreams, routes } = load('every-key')
  const defaultEject = { consecutive_failures: 5, seconds: 30, max_percent: 50 }
  expect(upstreams).toEqual({
    'listed-1.a_b': {
      targets: [
        { url: 'https://a.example.test:8443/base', weight: 1 },
        { url: 'https://b.example.test', weight: 100 },
        { url: 'https://c.example.test', weight: 1 },
      ],
      health: {
        path: '/healthz?full=1',
        interval_seconds: 3600,
        timeout_ms: 60_000,
        unhealthy_after: 100,
        healthy_after: 1,
      },
      eject: { consecutive_failures: 1000, seconds: 3600, max_percent: 100 },
      retry: { attempts: 10 },
      ca_file: join(good, 'ca.pem'),
      client_cert_file: join(good, 'client.crt'),
      client_key_file: join(good, 'client.key'),
    },
    named: {
      dns: {
        name: 'agents.svc.cluster.local',
        port: 65_535,
        scheme: 'https',
        refresh_seconds: 1,
        server: '[::1]:5353',
      },
      eject: defaultEject,
      retry: { attempts: 1 },
    },
  })
  expect(gateway).toEqual({
    host: '::1',
    port: 8443,
    workers: 1,
    admin: {
      host: '127.0.0.1',
      port: 8090,
      roles: {
        viewer: { role: 'gateway:view' },
        operator: { role: 'gateway:admin', issuers: ['agents'] },
      },
      tls: {
        cert_file: join(good, 'admin.crt'),
        key_file: join(good, 'admin.key'),
        http2: true,
      },
      hosts: ['console.example.test'],
      gateway_url: 'https://api.example.test',
    },
    metrics: { port: 'admin' },
    llm: { max_sse_connections_per_tenant: 3 },
    shared: {
      redis_url: `rediss://gateway:${environment.SECRET}@redis.example.test:6380/2`,
      ca_file: join(good, 'redis-ca.pem'),
    },
    trusted_proxies: ['10.0.0.0/8', '2001:db8::1'],
    limits: {
      max_body_bytes: 1,
      max_header_bytes: 1024,
      max_headers: 1,
      max_connections: 1,
      max_streams_per_connection: 1,
      max_agentic_response_bytes: 1,
      max_in_flight: 1,
      max_in_flight_per_tenant: 1,
      max_buffered_bytes: 1,
      max_buffered_bytes_per_tenant: 1,
      max_upstream_connections_per_origin: 1,
      max_upstream_connections_per_tenant: 1,
      max_upstream_queue_per_origin: 0,
      max_upstream_queue_per_tenant: 0,
    },
    rate_limits: [
      { ...defaultPolicy, name: 'per-tenant', requests: 600, per_seconds: 60, burst: 60 },
      {
        ...defaultPolicy,
        name: 'per-actor',
        key: ['tenant', 'subject'],
        requests: 100_000,
        per_seconds: 1,
      },
      {
        ...defaultPolicy,
        name: 'tokens-day',
        key: ['tenant', 'route'],
        tokens: 999_999_999_999_999,
        per: 'day',
        routes: ['POST /campaigns/{campaignId}/assets:generate'],
        estimate: 2000,
      },
      { ...defaultPolicy, name: 'money-month', cost: 50, per: 'month', on_store_failure: 'refuse' },
      { ...defaultPolicy, name: 'everybody', key: ['route'], requests: 1, per_seconds: 2_678_400, burst: 1 },
    ],
    prices: {
      currency: 'EUR',
      models: [
        { model: 'gpt-*', input: 2.5, output: 10 },
        { model: '*', input: 0, output: 0.000001 },
      ],
    },
    idempotency: { store: 'memory' },
    drain_seconds: 0,
    drain_delay_seconds: 5,
    cors: { origins: ['https://app.example.test', 'http://[::1]:8090'] },
    tls: {
      cert_file: join(good, 'tls.crt'),
      key_file: '/run/secrets/tls.key',
      http2: false,
      client_ca_file: join(good, 'clients.pem'),
      client_certificate: 'require',
    },
  })
  expect(plugins['token-validator'].issuers).toEqual([
    {
      ...defaultIssuer,
      issuer: 'https://id.example.test',
      audience: ['agentic', 'https://agents.example.test', 'https://agents.example.test/mcp'],
      jwks_file: join(good, 'keys/jwks.json'),
      algorithms: ['RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES384', 'ES512'],
      claims: { subject: 'https://id.example.test/user', roles: 'realm_access.roles' },
      introspection: {
        url: 'https://id.example.test/introspect',
        client_id: 'gateway',
        client_secret_file: join(good, 'client.secret'),
      },
    },
    {
      ...defaultIssuer,
      issuer: 'agents',
      audience: ['agentic'],
      hs256_secret: environment.SECRET,
      algorithms: ['HS256'],
      service_account: true,
    },
  ])
  expect(plugins['tenant-injector'].webhook?.headers).toEqual({
    authorization: `Bearer ${environment.SECRET}`,
  })
  expect(plugins['prompt-sanitize'].rules[0]).toMatchObject({ regex: '\\$[a-z]+', replacement: '${price}' })
  expect(plugins['otel-audit'].include_rejected).toBe(true)
  expect(routes[0]?.ca_file).toBe(join(good, 'ca.pem'))
  expect(routes[0]).toMatchObject({
    inject_usage: true,
    client_cert_file: join(good, 'client.crt'),
    client_key_file: join(good, 'client.key'),
  })
})

test('the section for MCP and the tool of a route are read, with absolute file names', () => {
  const { mcp, routes } = load('every-key')
  expect(mcp).toEqual({
    path: '/tools',
    public_url: 'https://agents.example.test/mcp',
    name: 'acme-agents',
    title: 'Agents of Acme',
    instructions: 'Ask for the goal first.',
    state_secrets: [environment.SECRET],
    state_secrets_files: [join(good, 'old.secret')],
    origins: ['https://chat.example.test'],
    legacy: 'stateless',
    hold_seconds: 10,
    approval_minutes: 2,
    max_body_bytes: 262_144,
    forward_authorization: true,
    list_ttl_seconds: 60,
  })
  expect(routes[0]?.mcp).toEqual({
    name: 'generate-assets',
    title: 'Generate assets',
    description: 'Makes pictures and texts for a campaign.',
    input: join(good, 'input.json'),
    stream: 'events',
    idempotencyArgument: true,
  })
  expect(load('minimal').mcp).toBeUndefined()
})

test('the configuration is frozen all the way down', () => {
  const thawed: string[] = []
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (!Object.isFrozen(value)) thawed.push(path)
    for (const [key, child] of Object.entries(value)) visit(child, `${path}.${key}`)
  }
  for (const name of ['minimal', 'complete', 'every-key']) visit(load(name), name)
  expect(thawed).toEqual([])
})

test('maps keyed by the operator have no prototype, configured or not', () => {
  for (const name of ['minimal', 'complete']) {
    expect(Object.getPrototypeOf(load(name).plugins['license-check'].tenants)).toBeNull()
    expect(Object.getPrototypeOf(load(name).upstreams)).toBeNull()
  }
  const headers = load('complete').plugins['tenant-injector'].webhook?.headers
  expect(Object.getPrototypeOf(headers)).toBeNull()
})

test('reading a file twice gives equal configurations that share nothing', () => {
  const [first, second] = [load('minimal'), load('minimal')]
  expect(first).toEqual(second)
  const issuersOf = (config: GatewayConfig) => config.plugins['token-validator'].issuers[0]
  expect(issuersOf(first)?.algorithms).not.toBe(issuersOf(second)?.algorithms)
})

test('a switched-off token-validator needs no issuers and is warned about', () => {
  const result = parseConfig(
    '{ plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }, routes: [] }',
    {
      file: 'gateway.yaml',
      env: {},
    },
  )
  expect(result).toMatchObject({
    ok: true,
    config: { plugins: { 'token-validator': { mode: 'off', issuers: [] } } },
    warnings: [
      {
        id: 'token-validation-off',
        file: 'gateway.yaml',
        line: 1,
        column: 39,
        path: 'plugins.token-validator.mode',
        message: 'is off, every request is accepted without a token',
      },
      { id: 'tenant-open', line: 1, column: 79, path: 'plugins.tenant-injector.trust_header' },
    ],
  })
})

test('a disabled otel-audit needs no collector', () => {
  const text =
    '{ plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone }, otel-audit: { enabled: false, exporter: otlp } }, routes: [] }'
  expect(parseConfig(text, { file: 'gateway.yaml', env: {} })).toMatchObject({ ok: true })
})
