import { outcomes, PROFILE_VERSION } from '@agentic-rest/profile'
import { faultCodes } from './answer.ts'

const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const
const flag = { type: 'boolean' } as const
const whole = { type: 'integer', minimum: 0 } as const
const milliseconds = { type: 'number', minimum: 0 } as const
const texts = { type: 'array', items: text } as const
const listOf = <Item>(items: Item) => ({ type: 'array', items }) as const
const orNull = <Schema>(schema: Schema) => ({ anyOf: [schema, { type: 'null' }] }) as const

type Properties = Readonly<Record<string, unknown>>

/** An object with exactly these members; the `optional` ones may be absent. */
const object = <Given extends Properties>(properties: Given, optional: readonly (keyof Given)[] = []) => ({
  type: 'object' as const,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

/** A reference to a schema of the document. */
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

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
  attributes: { type: 'object', additionalProperties: text },
} as const

/** The bodies of the admin listener. */
const schemas = {
  Fault: object({ code: text, message: text }),
  Reload: object({
    at: time,
    result: { type: 'string', enum: ['applied', 'refused'] },
    faults: texts,
  }),
  Person: object({ sub: text, tenant: text, roles: texts }),
  User: object({ subject: text, name: text }),
  Gateway: object({
    version: text,
    profile: text,
    startedAt: time,
    gatewayUrl: text,
    development: flag,
    people: listOf(ref('Person')),
    user: { ...orNull(ref('User')), description: 'The caller; null in development.' },
    streamLimit: whole,
    configuration: object({
      file: orNull(text),
      loadedAt: time,
      warnings: texts,
      lastReload: orNull(ref('Reload')),
    }),
  }),
  Routes: object({
    routes: listOf(ref('Route')),
    plugins: listOf(object({ name: text, configured: flag, configuration: { type: 'object' } })),
    services: listOf(object({ origin: text, routes: texts })),
    upstreams: listOf(ref('Upstream')),
  }),
  Upstream: object({
    name: text,
    resolved: { ...flag, description: 'False while its DNS name cannot be resolved.' },
    targets: listOf(
      object({
        number: { ...text, description: 'The label `target` in metrics.' },
        url: text,
        weight: whole,
        state: { type: 'string', enum: ['up', 'starting', 'ejected', 'unhealthy'] },
        active: whole,
      }),
    ),
  }),
  Route: object({
    id: text,
    method: text,
    path: text,
    target: orNull(text),
    upstream: orNull(text),
    mode: { type: 'string', enum: ['json', 'sse'] },
    executionTimeoutSeconds: whole,
    roles: texts,
    scopes: texts,
    allow: orNull(text),
    license: orNull(text),
    conformance: { type: 'string', enum: ['enforce', 'report', 'off'] },
    plugins: listOf(object({ name: text, runs: flag, because: text })),
    tool: {
      ...orNull(ref('RouteTool')),
      description: 'The tool for MCP clients; null for a route that is none.',
    },
  }),
  RouteTool: object(
    {
      name: text,
      fault: { ...text, description: 'Why clients do not see it at the moment, such as `no_document`.' },
      why: { ...text, description: 'The reason for people.' },
    },
    ['fault', 'why'],
  ),
  McpCall: object({
    tool: text,
    client: { ...text, description: 'The name that the client gives itself; not trusted.' },
    version: { ...text, description: 'The version of the protocol.' },
    round: whole,
  }),
  ServiceDocument: object({
    document: { type: 'object', description: 'The OpenAPI 3 document of the service, as published.' },
  }),
  RequestRow: object(
    {
      at: time,
      spanId: { ...text, description: "The gateway's own id of the request." },
      route: text,
      method: text,
      path: text,
      status: whole,
      outcome: text,
      tenant: text,
      actor: text,
      correlationId: text,
      requestId: text,
      durationMs: milliseconds,
      upstreamMs: orNull(milliseconds),
      pluginMs: milliseconds,
      streamed: flag,
      code: text,
      rule: text,
      cause: text,
      redacted: { ...text, description: 'The values that prompt-sanitize replaced, such as `email x1`.' },
      mcp: ref('McpCall'),
    },
    ['code', 'rule', 'cause', 'redacted', 'mcp'],
  ),
  Requests: object({
    requests: listOf(ref('RequestRow')),
    next: {
      ...orNull({ type: 'number', minimum: 0 }),
      description: 'The value of `before` for the next page; null after the last one.',
    },
  }),
  Percentiles: object({ p50: milliseconds, p99: milliseconds }),
  Summary: object({
    at: time,
    requests: whole,
    shown: whole,
    outcomes: { type: 'object', additionalProperties: whole },
    latency: orNull(ref('Percentiles')),
    upstream: orNull(ref('Percentiles')),
    plugins: orNull(ref('Percentiles')),
    inFlight: whole,
    streams: listOf(object({ tenant: text, open: whole, limit: whole })),
  }),
  Exchange: object(
    {
      requestId: text,
      spanId: { ...text, description: "The gateway's own id of the request." },
      correlationId: text,
      route: text,
      tenant: text,
      actor: text,
      status: whole,
      outcome: text,
      code: text,
      rule: text,
      cause: text,
      redacted: { ...text, description: 'The values that prompt-sanitize replaced, such as `email x1`.' },
      mcp: ref('McpCall'),
      startedAt: time,
      milliseconds,
      steps: listOf(ref('Step')),
      headers: object({ request: listOf(ref('KeptHeader')), response: listOf(ref('KeptHeader')) }),
    },
    ['code', 'rule', 'cause', 'redacted', 'mcp'],
  ),
  KeptHeader: object({ name: text, value: text }),
  Step: object(
    {
      name: text,
      verdict: { type: 'string', enum: ['passed', 'refused', 'skipped', 'failed'] },
      milliseconds,
      detail: text,
    },
    ['detail'],
  ),
  Recent: object({
    exchanges: listOf(
      object({
        correlationId: text,
        at: { ...time, description: 'The arrival of the newest request.' },
        tenant: { ...text, description: 'The tenant of the first request with one.' },
        requests: listOf(ref('RequestGroup')),
        ended: listOf(object({ requestId: text, tenant: text, outcome: text, status: whole, at: time })),
        parts: texts,
      }),
    ),
  }),
  RequestGroup: object(
    {
      requestId: { ...text, description: 'Of the newest one.' },
      method: text,
      path: text,
      route: text,
      tenant: text,
      actor: text,
      status: whole,
      outcome: text,
      code: { ...text, description: "The code of the gateway's own answer." },
      inner: { ...flag, description: 'Sent by a service behind a gateway.' },
      mcp: ref('McpCall'),
      at: time,
      lastAt: time,
      endedAt: time,
      count: { ...whole, description: 'How many requests differ only in their time.' },
    },
    ['code', 'mcp'],
  ),
  AuditEvent: object(event, [
    'tenant_id',
    'actor_id',
    'request_id',
    'operation',
    'resource_id',
    'outcome',
    'attributes',
  ]),
  Records: object({ correlationId: text, records: listOf(object({ ...event, part: text })) }),
  Usage: object({
    at: time,
    policies: listOf(ref('UsagePolicy')),
    tenants: listOf(ref('TenantUsage')),
  }),
  UsagePolicy: object({
    name: text,
    key: listOf({ type: 'string', enum: ['tenant', 'subject', 'route'] }),
    unit: { type: 'string', enum: ['requests', 'tokens', 'cost'] },
    limit: { ...whole, description: 'Requests, tokens, or millionths of money.' },
    perSeconds: orNull(whole),
    burst: orNull(whole),
    per: orNull({ type: 'string', enum: ['day', 'month'] }),
    routes: orNull(texts),
  }),
  TenantUsage: object({
    tenant: text,
    today: ref('UsageCounts'),
    month: ref('UsageCounts'),
    limits: {
      ...listOf(object({ policy: text, left: whole, most: whole, resetSeconds: whole })),
      description: 'The state of each policy whose key is the tenant alone.',
    },
  }),
  UsageCounts: object({
    requests: whole,
    refused: whole,
    inputTokens: whole,
    outputTokens: whole,
    costMicro: whole,
  }),
  TokenWish: object({ sub: text, tenant: text, roles: texts }, ['tenant', 'roles']),
  Token: object({ token: text, expiresAt: time }),
} as const

const JSON_TYPE = outcomes.success.mediaType

const answered = (name: keyof typeof schemas) => ({
  description: 'The answer.',
  content: { [JSON_TYPE]: { schema: ref(name) } },
})

const refused = { description: 'A refusal.', content: { [JSON_TYPE]: { schema: ref('Fault') } } }

const operation = (
  summary: string,
  responses: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
) => ({ summary, ...more, responses: { ...responses, default: refused } })

const ok = (name: keyof typeof schemas) => ({ [outcomes.success.status]: answered(name) })

const query = (name: string, description: string) => ({
  parameters: [{ name, in: 'query', required: true, description, schema: { type: 'string' } }],
})

const body = (content: Readonly<Record<string, unknown>>) => ({ requestBody: { required: true, content } })

/** The OpenAPI 3.1 description of the admin listener. */
export const adminOpenApi = {
  openapi: '3.1.0',
  info: {
    title: 'Agentic REST gateway, admin listener',
    version: PROFILE_VERSION,
    description:
      'What the console reads. Outside development reading needs a token with the role of a viewer or an operator (gateway.admin.roles), anything else that of an operator. Viewers see [hidden] for the path and query of addresses, for keywords and regex of rules, and no faults of a reload.',
  },
  paths: {
    '/api/gateway': { get: operation('What runs, and from which configuration', ok('Gateway')) },
    '/api/routes': { get: operation('Routes, plugins in order, and services', ok('Routes')) },
    '/api/openapi': {
      get: operation(
        'The OpenAPI document of the service behind a route, at most 1 MiB',
        ok('ServiceDocument'),
        query('route', 'The id of the route.'),
      ),
    },
    '/api/reload': {
      post: operation('Reads the file again and uses it, or says why not and changes nothing', ok('Reload')),
    },
    '/api/feed': {
      get: operation('Requests as they pass, at most 50 a second, and a summary each second as heartbeat', {
        [outcomes.success.status]: {
          description: 'Events `request` with a RequestRow and `summary` with a Summary.',
          content: { 'text/event-stream': { schema: { anyOf: [ref('RequestRow'), ref('Summary')] } } },
        },
      }),
    },
    '/api/usage': {
      get: operation(
        'Requests, tokens and cost of tenants, today and this month in UTC, and the state of their limits',
        ok('Usage'),
        {
          parameters: [
            {
              name: 'tenant',
              in: 'query',
              required: false,
              description: 'One tenant; without it the 100 with the most requests of this month.',
              schema: { type: 'string' },
            },
          ],
        },
      ),
    },
    '/api/requests': {
      get: operation('The remembered requests, newest first, 512 on a page', ok('Requests'), {
        parameters: [
          {
            name: 'before',
            in: 'query',
            required: false,
            description: 'The `next` of the page before; without it the newest requests.',
            schema: { type: 'number' },
          },
        ],
      }),
    },
    '/api/recent': {
      get: operation('The last exchanges, newest first', ok('Recent'), {
        parameters: [
          {
            name: 'limit',
            in: 'query',
            required: false,
            description: 'How many exchanges to list.',
            schema: { type: 'integer', minimum: 1, maximum: 512, default: 100 },
          },
          {
            name: 'until',
            in: 'query',
            required: false,
            description: 'The `at` of the last exchange of the page before, which is listed again.',
            schema: time,
          },
        ],
      }),
    },
    '/api/exchanges/{requestId}': {
      get: operation('One of the last requests, step by step', ok('Exchange'), {
        parameters: [
          {
            name: 'requestId',
            in: 'path',
            required: true,
            description: 'The id of the request.',
            schema: { type: 'string' },
          },
          {
            name: 'span_id',
            in: 'query',
            required: false,
            description: 'The `spanId` of one of several requests with the same id; without it the newest.',
            schema: { type: 'string' },
          },
        ],
      }),
    },
    '/api/records': {
      get: operation(
        'The records of one correlation id, of all parts, by time',
        ok('Records'),
        query('correlation_id', 'The id that the records share.'),
      ),
      post: operation(
        'Takes records of a service or of another gateway',
        { '204': { description: 'They are taken.' } },
        {
          ...query('part', 'The name of the part that wrote them.'),
          ...body({
            'application/x-ndjson': { schema: { type: 'string' } },
            [JSON_TYPE]: { schema: { type: 'array', maxItems: 1000, items: ref('AuditEvent') } },
          }),
        },
      ),
    },
    '/session': {
      get: operation('Leads to the page', { '303': { description: 'The page is at `Location`.' } }),
      post: operation(
        'Signs a browser in with a token that the listener accepts; outside development only',
        { '303': { description: 'The session is opened, and the page is at `Location`.' } },
        body({
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] },
          },
        }),
      ),
      delete: operation('Signs a browser out', { '204': { description: 'The session is over.' } }),
    },
    '/api/token': {
      post: operation(
        'A token for anyone; in development only',
        ok('Token'),
        body({ [JSON_TYPE]: { schema: ref('TokenWish') } }),
      ),
    },
  },
  components: {
    schemas: { ...schemas, Fault: { ...schemas.Fault, properties: faultProperties() } },
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer' },
      session: { type: 'apiKey', in: 'cookie', name: 'agentic-admin-{port}' },
    },
  },
  security: [{ token: [] }, { session: [] }, {}],
} as const

function faultProperties() {
  return { ...schemas.Fault.properties, code: { type: 'string', enum: faultCodes } }
}
