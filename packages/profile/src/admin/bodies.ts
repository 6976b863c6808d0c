import {
  about,
  amount,
  anyObject,
  closedObject,
  flag,
  listOf,
  mapOf,
  named,
  oneOf,
  orNull,
  type Read,
  text,
  time,
  type Written,
  whole,
} from '../typed-schema.ts'

const texts = listOf(text)
const redacted = about('The values that prompt-sanitize replaced, such as `email x1`.', text)
const spanId = about("The gateway's own id of the request.", text)

const fault = closedObject({ code: text, message: text })

// What runs, and from which configuration.

const reload = closedObject({ at: time, result: oneOf('applied', 'refused'), faults: texts })

const person = closedObject({ sub: text, tenant: text, roles: texts })

const user = closedObject({ subject: text, name: text })

const gateway = closedObject({
  version: text,
  profile: text,
  startedAt: time,
  gatewayUrl: text,
  development: flag,
  people: listOf(named('Person', person)),
  user: about('The caller; null in development.', orNull(named('User', user))),
  signIn: about(
    'People sign in at an identity provider; then requests below /api/as-me are sent as the caller.',
    flag,
  ),
  streamLimit: whole,
  configuration: closedObject({
    file: orNull(text),
    loadedAt: time,
    warnings: texts,
    lastReload: orNull(named('Reload', reload)),
  }),
})

// Routes, plugins in order, and services.

const routeTool = closedObject(
  {
    name: text,
    fault: about('Why clients do not see it at the moment, such as `no_document`.', text),
    why: about('The reason for people.', text),
  },
  ['fault', 'why'],
)

const route = closedObject({
  id: text,
  method: text,
  path: text,
  target: orNull(text),
  upstream: orNull(text),
  mode: oneOf('json', 'sse'),
  executionTimeoutSeconds: whole,
  roles: texts,
  scopes: texts,
  allow: orNull(text),
  license: orNull(text),
  conformance: oneOf('enforce', 'report', 'off'),
  plugins: listOf(closedObject({ name: text, runs: flag, because: text })),
  tool: about(
    'The tool for MCP clients; null for a route that is none.',
    orNull(named('RouteTool', routeTool)),
  ),
})

const target = closedObject({
  number: about('The label `target` in metrics.', text),
  url: text,
  weight: whole,
  state: oneOf('up', 'starting', 'ejected', 'unhealthy'),
  active: whole,
})

const upstream = closedObject({
  name: text,
  resolved: about('False while its DNS name cannot be resolved.', flag),
  targets: listOf(target),
})

const routes = closedObject({
  routes: listOf(named('Route', route)),
  plugins: listOf(closedObject({ name: text, configured: flag, configuration: anyObject })),
  services: listOf(closedObject({ origin: text, routes: texts })),
  upstreams: listOf(named('Upstream', upstream)),
})

const serviceDocument = closedObject({
  document: about('The OpenAPI 3 document of the service, as published.', anyObject),
})

// Requests.

const mcpCall = closedObject({
  tool: text,
  client: about('The name that the client gives itself; not trusted.', text),
  version: about('The version of the protocol.', text),
  round: whole,
})

const requestRow = closedObject(
  {
    at: time,
    spanId,
    route: text,
    method: text,
    path: text,
    status: whole,
    outcome: text,
    tenant: text,
    actor: text,
    correlationId: text,
    requestId: text,
    durationMs: amount,
    upstreamMs: orNull(amount),
    pluginMs: amount,
    streamed: flag,
    code: text,
    rule: text,
    cause: text,
    redacted,
    mcp: named('McpCall', mcpCall),
  },
  ['code', 'rule', 'cause', 'redacted', 'mcp'],
)

const requests = closedObject({
  requests: listOf(named('RequestRow', requestRow)),
  next: about('The value of `before` for the next page; null after the last one.', orNull(amount)),
})

const percentiles = closedObject({ p50: amount, p99: amount })

const tenantStreams = closedObject({ tenant: text, open: whole, limit: whole })

const summary = closedObject({
  at: time,
  requests: whole,
  shown: whole,
  outcomes: mapOf(whole),
  latency: orNull(named('Percentiles', percentiles)),
  upstream: orNull(named('Percentiles', percentiles)),
  plugins: orNull(named('Percentiles', percentiles)),
  inFlight: whole,
  streams: listOf(tenantStreams),
})

const keptHeader = closedObject({ name: text, value: text })

const step = closedObject(
  {
    name: text,
    verdict: oneOf('passed', 'refused', 'skipped', 'failed'),
    milliseconds: amount,
    detail: text,
  },
  ['detail'],
)

const exchange = closedObject(
  {
    requestId: text,
    spanId,
    correlationId: text,
    route: text,
    tenant: text,
    actor: text,
    status: whole,
    outcome: text,
    code: text,
    rule: text,
    cause: text,
    redacted,
    mcp: named('McpCall', mcpCall),
    startedAt: time,
    milliseconds: amount,
    steps: listOf(named('Step', step)),
    headers: closedObject({
      request: listOf(named('KeptHeader', keptHeader)),
      response: listOf(named('KeptHeader', keptHeader)),
    }),
  },
  ['code', 'rule', 'cause', 'redacted', 'mcp'],
)

const requestGroup = closedObject(
  {
    requestId: about('Of the newest one.', text),
    method: text,
    path: text,
    route: text,
    // Empty for requests that were refused before their tenant was known.
    tenant: text,
    actor: text,
    status: whole,
    outcome: text,
    code: about("The code of the gateway's own answer.", text),
    inner: about('Sent by a service behind a gateway.', flag),
    mcp: named('McpCall', mcpCall),
    at: time,
    lastAt: time,
    endedAt: time,
    count: about('How many requests differ only in their time.', whole),
  },
  ['code', 'mcp'],
)

// Its request is the one that was answered with 202.
const endedWork = closedObject({ requestId: text, tenant: text, outcome: text, status: whole, at: time })

const recentExchange = closedObject({
  correlationId: text,
  at: about('The arrival of the newest request.', time),
  tenant: about('The tenant of the first request with one.', text),
  requests: listOf(named('RequestGroup', requestGroup)),
  ended: listOf(endedWork),
  parts: texts,
})

const recent = closedObject({ exchanges: listOf(recentExchange) })

// Records.

const event = {
  event_type: text,
  tenant_id: text,
  actor_id: text,
  request_id: text,
  correlation_id: text,
  operation: text,
  resource_id: text,
  outcome: text,
  timestamp: time,
  attributes: mapOf(text),
}

const auditEvent = closedObject(event, [
  'tenant_id',
  'actor_id',
  'request_id',
  'operation',
  'resource_id',
  'outcome',
  'attributes',
])

/** A record with the name of the part that wrote it. */
export const partRecord = closedObject({ ...event, part: text })

const records = closedObject({ correlationId: text, records: listOf(partRecord) })

// Usage against limits.

const usagePolicy = closedObject({
  name: text,
  key: listOf(oneOf('tenant', 'subject', 'route')),
  unit: oneOf('requests', 'tokens', 'cost'),
  limit: about('Requests, tokens, or millionths of money.', whole),
  perSeconds: orNull(whole),
  burst: orNull(whole),
  per: orNull(oneOf('day', 'month')),
  routes: orNull(texts),
})

const usageCounts = closedObject({
  requests: whole,
  refused: whole,
  inputTokens: whole,
  outputTokens: whole,
  costMicro: whole,
})

const limitState = closedObject({ policy: text, left: whole, most: whole, resetSeconds: whole })

const tenantUsage = closedObject({
  tenant: text,
  today: named('UsageCounts', usageCounts),
  month: named('UsageCounts', usageCounts),
  limits: about('The state of each policy whose key is the tenant alone.', listOf(limitState)),
})

const usage = closedObject({
  at: time,
  currency: about('The currency of costs (gateway.prices.currency).', orNull(text)),
  policies: listOf(named('UsagePolicy', usagePolicy)),
  tenants: listOf(named('TenantUsage', tenantUsage)),
})

// Tokens of development.

const tokenWish = closedObject({ sub: text, tenant: text, roles: texts }, ['tenant', 'roles'])

const token = closedObject({ token: text, expiresAt: time })

/**
 * The bodies of the admin API with their schemas, types and readers. The gateway writes them by their types, its OpenAPI
 * document has their schemas, console and command line read them by their readers.
 */
export const adminBodies = {
  Fault: fault,
  Reload: reload,
  Person: person,
  User: user,
  Gateway: gateway,
  Routes: routes,
  Upstream: upstream,
  Route: route,
  RouteTool: routeTool,
  McpCall: mcpCall,
  ServiceDocument: serviceDocument,
  RequestRow: requestRow,
  Requests: requests,
  Percentiles: percentiles,
  Summary: summary,
  Exchange: exchange,
  KeptHeader: keptHeader,
  Step: step,
  Recent: recent,
  RequestGroup: requestGroup,
  AuditEvent: auditEvent,
  Records: records,
  Usage: usage,
  UsagePolicy: usagePolicy,
  TenantUsage: tenantUsage,
  UsageCounts: usageCounts,
  TokenWish: tokenWish,
  Token: token,
} as const

/** The name of a body of the admin API. */
export type AdminBodyName = keyof typeof adminBodies

/** A body of the admin API as the gateway writes it. */
export type AdminBody<Name extends AdminBodyName> = Written<(typeof adminBodies)[Name]>

/** A body of the admin API as its readers have it: absent texts are empty, and absent objects are null. */
export type AdminReading<Name extends AdminBodyName> = Read<(typeof adminBodies)[Name]>
