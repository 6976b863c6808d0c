import type { IncomingMessage, ServerResponse } from 'node:http'

const none = { requests: 0, refused: 0, inputTokens: 0, outputTokens: 0, costMicro: 0 }

const policies = [
  {
    name: 'per-tenant',
    key: ['tenant'],
    unit: 'requests',
    limit: 600,
    perSeconds: 60,
    burst: 60,
    per: null,
    routes: null,
  },
  {
    name: 'per-actor',
    key: ['tenant', 'subject'],
    unit: 'requests',
    limit: 60,
    perSeconds: 60,
    burst: null,
    per: null,
    routes: null,
  },
  {
    name: 'tokens-day',
    key: ['tenant'],
    unit: 'tokens',
    limit: 1_000_000,
    perSeconds: null,
    burst: null,
    per: 'day',
    routes: ['llm'],
  },
  {
    name: 'money-month',
    key: ['tenant'],
    unit: 'cost',
    limit: 50_000_000,
    perSeconds: null,
    burst: null,
    per: 'month',
    routes: ['llm'],
  },
]

const acme = {
  tenant: 'acme',
  today: { requests: 1204, refused: 37, inputTokens: 151_200, outputTokens: 36_800, costMicro: 746_000 },
  month: {
    requests: 20_311,
    refused: 412,
    inputTokens: 3_204_117,
    outputTokens: 801_233,
    costMicro: 16_022_622,
  },
  limits: [
    { policy: 'per-tenant', left: 58, most: 60, resetSeconds: 1 },
    { policy: 'tokens-day', left: 812_000, most: 1_000_000, resetSeconds: 24_301 },
    { policy: 'money-month', left: 33_977_378, most: 50_000_000, resetSeconds: 1_204_301 },
  ],
}

const quiet = {
  tenant: 'globex',
  today: none,
  month: { ...none, requests: 3 },
  limits: [{ policy: 'per-tenant', left: 60, most: 60, resetSeconds: 0 }],
}

const at = '2026-11-16T12:00:00.000Z'
const hostile = 'x\u001b[2J\n\u202ey'

/** Answers of an admin listener to `/api/usage`, by the tenant that is asked for. */
const answers: Readonly<Record<string, readonly [number, unknown]>> = {
  '': [200, { at, currency: 'EUR', policies, tenants: [acme, quiet] }],
  acme: [200, { at, currency: null, policies, tenants: [acme] }],
  hostile: [
    200,
    {
      at,
      currency: hostile,
      policies,
      tenants: [{ ...quiet, tenant: hostile, limits: [{ policy: hostile }] }],
    },
  ],
  'no-limits': [200, { at, currency: null, policies: [], tenants: [] }],
  'only-counts': [200, { at, currency: null, policies: [], tenants: [{ ...quiet, limits: [] }] }],
  'after-limits': [200, { at, currency: null, policies: [], tenants: [{ ...acme, limits: [] }] }],
  'no-requests': [200, { at, currency: null, policies: policies.slice(0, 1), tenants: [] }],
  'a b': [422, { message: 'tenant is not a tenant id.' }],
  'signed-out': [401, { message: 'A token is needed here.' }],
  'other-server': [200, { hello: 'world' }],
}

/** The answer to `/api/usage` for a tenant of the table. */
export function usageAnswer(tenant: string): unknown {
  return answers[tenant]?.[1]
}

const refused = {
  requestId: 'req-1',
  correlationId: 'corr-1',
  route: 'read-item',
  tenant: 'acme',
  actor: 'alice',
  status: 424,
  outcome: 'failed_dependency',
  code: 'UPSTREAM_UNAVAILABLE',
  cause: 'ECONNREFUSED',
  startedAt: at,
  milliseconds: 1.5,
  steps: [
    { name: 'route', verdict: 'passed', milliseconds: 0.01 },
    { name: 'license-check', verdict: 'skipped', milliseconds: 0, detail: 'the route names no license' },
    { name: 'upstream', verdict: 'failed', milliseconds: 1.2, detail: `UPSTREAM_UNAVAILABLE, ${hostile}` },
  ],
}

const record = {
  part: 'inventory',
  event_type: 'service.operation',
  request_id: 'req-2',
  correlation_id: 'corr-1',
  operation: 'reserve',
  outcome: 'success',
  timestamp: '2026-11-16T12:00:01.000Z',
}

const records = [{ ...record, part: 'gateway', request_id: 'req-1', timestamp: at }, record]

function explained(pathname: string, correlationId: string | null): readonly [number, unknown] {
  if (pathname === '/api/exchanges/req-1') return [200, refused]
  if (pathname === '/api/records') return [200, { records: correlationId === 'corr-1' ? records : [] }]
  return [404, { message: 'No remembered request has this id.' }]
}

/** An admin listener of the tests. */
export function answerUsage({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  const [status, body] =
    pathname === '/api/usage'
      ? (answers[searchParams.get('tenant') ?? ''] ?? [500, {}])
      : explained(pathname, searchParams.get('correlation_id'))
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
