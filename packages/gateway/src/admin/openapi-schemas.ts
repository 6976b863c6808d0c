const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const
const flag = { type: 'boolean' } as const
const whole = { type: 'integer', minimum: 0 } as const
const milliseconds = { type: 'number', minimum: 0 } as const
const texts = { type: 'array', items: text } as const
const listOf = <Item>(items: Item) => ({ type: 'array', items }) as const
const orNull = <Schema>(schema: Schema) => ({ anyOf: [schema, { type: 'null' }] }) as const

type Properties = Readonly<Record<string, unknown>>

/** An object of exactly these members; those in `optional` may be absent. */
const object = <Given extends Properties>(properties: Given, optional: readonly (keyof Given)[] = []) => ({
  type: 'object' as const,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

/** Points to a schema of the document. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

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

/** The shapes of the admin listener's bodies. */
export const schemas = {
  Fault: object({ code: text, message: text }),
  Reload: object({
    at: time,
    result: { type: 'string', enum: ['applied', 'refused'] },
    faults: texts,
  }),
  Person: object({ sub: text, tenant: text, roles: texts }),
  Gateway: object({
    version: text,
    profile: text,
    startedAt: time,
    gatewayUrl: text,
    development: flag,
    people: listOf(ref('Person')),
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
  }),
  Route: object({
    id: text,
    method: text,
    path: text,
    target: text,
    mode: { type: 'string', enum: ['json', 'sse'] },
    executionTimeoutSeconds: whole,
    roles: texts,
    license: orNull(text),
    conformance: { type: 'string', enum: ['enforce', 'report', 'off'] },
    plugins: listOf(object({ name: text, runs: flag, because: text })),
  }),
  RequestRow: object({
    at: time,
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
  Recent: object({
    exchanges: listOf(
      object({
        correlationId: text,
        at: time,
        route: text,
        outcome: text,
        status: whole,
        tenant: text,
        streamed: flag,
        parts: texts,
      }),
    ),
  }),
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
  TokenWish: object({ sub: text, tenant: text, roles: texts }, ['tenant', 'roles']),
  Token: object({ token: text, expiresAt: time }),
} as const
