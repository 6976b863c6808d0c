import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { created, createService, defineOperation } from '@agentic-rest/service'
import { serve } from '@agentic-rest/service/node'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { freePort } from '@agentic-rest/testing/free-port'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { fencedBlocks } from '../../tools/markdown.ts'
import { repositoryRoot } from '../../tools/packed-packages.ts'
import { type PrometheusServer, startPrometheus } from './prometheus-server.ts'

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] }
  readonly panels: readonly {
    readonly title: string
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const rulesFile = 'deploy/prometheus/rules.yaml'
const dashboard: Dashboard = JSON.parse(read('deploy/grafana/agentic.json'))
const grafanaQueries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({
    title,
    expression: expr
      .replaceAll(/\$(?:job|route)\b/g, '.*')
      .replaceAll(/\$__(?:rate_interval|range)\b/g, '1m'),
    legend: legendFormat,
  })),
)

interface Rule {
  readonly record?: string
  readonly expr: string
}

const rules: readonly Rule[] = parse(read(rulesFile)).groups.flatMap(
  (group: { readonly rules: readonly Rule[] }) => group.rules,
)
const recordedNames = rules.flatMap(({ record }) => record ?? [])

/** The expressions of the rules and of the documents. Many of them have no result while all is well. */
function writtenExpressions(): string[] {
  const runbook = fencedBlocks(read('docs/runbook.md')).filter(({ info }) => info === 'promql')
  const watched = read('docs/metrics.md').split('## What to watch')[1] ?? ''
  const cells = [...watched.matchAll(/^\|[^|]+\| `(.+)` \|$/gm)].map(([, cell = '']) => cell)
  return [
    ...rules.map(({ expr }) => expr),
    ...runbook.map(({ text }) => text),
    ...cells.map((cell) => cell.replaceAll('\\|', '|')),
  ]
}

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/pay',
  approval: { role: 'finance', when: () => ({ message: 'Pay?', approver: { name: 'Finance' } }) },
  run: () => created({}),
})
const work = defineOperation({
  id: 'work',
  method: 'POST',
  path: '/work',
  async: true,
  run: () => created({}),
})

/** A gateway with every kind of route in front of a service with approvals, after requests of every kind. */
async function startTargets() {
  const service = createService({ operations: [pay, work], log: silentLog })
  const served = await serve({ fetch: service.fetch, port: 0, closes: [service] })
  const issuer = await startIssuer()
  onTestFinished(async () => {
    await issuer.close()
    await served.stop()
  })
  const model = await startUpstream((_request, response) =>
    answerJson(response, { body: { model: 'm', usage: { prompt_tokens: 3, completion_tokens: 4 } } }),
  )
  const untyped = await startUpstream((_request, response) =>
    answerJson(response, { status: 500, type: 'text/plain', body: 'broken' }),
  )
  const events = await startEventUpstream()
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const gateway = await startGateway({
    gateway: {
      llm: { max_sse_connections_per_tenant: 1 },
      prices: { models: [{ model: '*', input: 1, output: 1 }] },
      rate_limits: [{ name: 'tokens-day', tokens: 1000, per: 'day', routes: ['model'], estimate: 10 }],
    },
    plugins: {
      'token-validator': {
        issuers: [
          { issuer: issuer.url, jwks_uri: issuer.jwksUri, audience: ['agentic'], algorithms: ['EdDSA'] },
        ],
      },
    },
    upstreams: {
      payments: {
        targets: [`http://127.0.0.1:${served.port}`, nowhere],
        eject: { consecutive_failures: 1, seconds: 600, max_percent: 50 },
        retry: { attempts: 1 },
      },
    },
    routes: [
      { id: 'pay', method: 'POST', path: '/pay', upstream: 'payments' },
      { id: 'work', method: 'POST', path: '/work', upstream: 'payments' },
      { id: 'reject', method: 'POST', path: '/approvals/{approvalId}/reject', upstream: 'payments' },
      { id: 'model', method: 'POST', path: '/model', target: model.url },
      { id: 'untyped', method: 'POST', path: '/untyped', target: untyped.url, conformance: 'enforce' },
      { id: 'passed', method: 'POST', path: '/passed', target: untyped.url, conformance: 'off' },
      { id: 'broken', method: 'POST', path: '/broken', target: nowhere },
      { id: 'llm', method: 'POST', path: '/llm', target: events.url, mode: 'sse' },
    ],
  })
  const headersOf = async (sub: string) => {
    const claims = { sub, aud: 'agentic', tenant_id: 'acme', roles: ['finance'] }
    return { authorization: `Bearer ${await issuer.token({ claims })}`, 'content-type': 'application/json' }
  }
  const [alice, bob] = [await headersOf('alice'), await headersOf('bob')]
  const post = async (path: string, headers: Record<string, string> = alice, body = '{}') => {
    const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body })
    await response.arrayBuffer()
    return response
  }
  // Some of the first requests fail at the target that is not there, which takes it out.
  await eventually(
    async () => {
      await post('/work', { ...alice, prefer: 'respond-async' })
      return gateway.metrics()
    },
    (scrape) => scrape.includes('agentic_upstream_target_ejections_total{'),
  )
  const asked = await post('/pay')
  const rejected = await post(`${asked.headers.get('location')}/reject`, bob)
  expect([asked.status, rejected.status]).toEqual([412, 200])
  for (const path of ['/untyped', '/passed', '/broken', '/nowhere']) await post(path)
  await post('/model', alice, '{"model":"m","max_tokens":10}')
  for (const status of [200, 429]) {
    const { response } = await openStream({ url: `${gateway.url}/llm`, headers: alice })
    expect(response.statusCode).toBe(status)
  }
  return { gateway: `127.0.0.1:${gateway.port}`, service: `127.0.0.1:${served.port}` }
}

const silent = () => undefined
const silentLog = { debug: silent, info: silent, warn: silent, error: silent }

/** Every metric in an expression exists, with every label that the expression names. */
function unknownNames(expression: string, labels: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const metrics = [...expression.matchAll(/\bagentic[\w:]*/g)].map(([name]) => name)
  const known = new Set(metrics.flatMap((name) => [...(labels.get(name) ?? [])]))
  const matched = [...expression.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"/g)].map(([, label = '']) => label)
  const grouped = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(/,\s*/),
  )
  return [
    ...metrics.filter((name) => !labels.has(name)),
    ...[...matched, ...grouped].filter((label) => !known.has(label)),
  ]
}

async function labelsOf(prometheus: PrometheusServer): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>()
  for (const { __name__: name = '', ...labels } of await prometheus.series('{__name__=~"agentic.*"}'))
    found.set(name, new Set([...(found.get(name) ?? []), ...Object.keys(labels)]))
  return found
}

/** An expression has a result, with the labels of its legend. */
async function faultOf(
  { title, expression, legend }: (typeof grafanaQueries)[number],
  prometheus: PrometheusServer,
) {
  const [first] = await prometheus.query(expression)
  if (first === undefined) return `${title}: no result`
  const wanted = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
  const missing = wanted.filter((label) => first.metric[label] === undefined)
  return missing.length === 0 ? undefined : `${title}: no label ${missing.join(', ')}`
}

testWith(
  'prometheus',
  'every expression of dashboard, rules and documents fits the scrape of a running stack',
  async (program) => {
    const targets = await startTargets()
    const prometheus = await startPrometheus({ program, targets, rules: join(repositoryRoot, rulesFile) })
    const withoutResult = async () => {
      const results = await Promise.all(grafanaQueries.map((query) => faultOf(query, prometheus)))
      return results.filter((fault) => fault !== undefined)
    }
    // A rate needs two scrapes, and a recorded one another evaluation.
    await eventually(withoutResult, ({ length }) => length === 0)
    const expressions = [...writtenExpressions(), ...grafanaQueries.map(({ expression }) => expression)]
    expect(expressions).toContain('agentic_gateway_upstream_queued > 0')
    for (const expression of expressions) await prometheus.query(expression)
    const labels = await eventually(
      () => labelsOf(prometheus),
      (found) => recordedNames.every((name) => found.has(name)),
    )
    expect(expressions.flatMap((expression) => unknownNames(expression, labels))).toEqual([])
    for (const { query } of dashboard.templating.list.filter(({ name }) => name !== 'datasource')) {
      const [, metric = '', label = ''] = /^label_values\((\w+)[^,]*, (\w+)\)$/.exec(query) ?? []
      expect(labels.get(metric)).toContain(label)
    }
  },
)
