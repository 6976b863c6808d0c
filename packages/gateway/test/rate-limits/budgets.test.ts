import type { ServerResponse } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, type ReceivedRequest, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'

const tokensDay = { name: 'tokens-day', tokens: 1000, per: 'day', routes: ['llm'], estimate: 100 }
const moneyMonth = { name: 'money-month', cost: 0.01, per: 'month', routes: ['llm'], estimate: 100 }
const prices = [
  { model: 'free-*', input: 0, output: 0 },
  { model: 'embed', input: 1, output: 0 },
  { model: 'dear', input: 1, output: 10 },
]

type Answer = (request: ReceivedRequest, response: ServerResponse) => void

async function startModel(
  rateLimits: readonly object[],
  answer: Answer,
  route: Record<string, unknown> = {},
) {
  const upstream = await startUpstream(answer)
  return await startGateway({
    gateway: { rate_limits: rateLimits, prices },
    plugins: { 'otel-audit': { include_rejected: true } },
    routes: [
      { id: 'llm', method: 'POST', path: '/llm', target: upstream.url, ...route },
      { id: 'other', method: 'POST', path: '/other', target: upstream.url },
    ],
  })
}

const ask = ({ url }: TestGateway, body: object, init: RequestInit = {}) =>
  fetch(`${url}/llm`, {
    method: 'POST',
    headers: { 'X-Tenant-ID': 'acme', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  })

/** What is left of the first budget, as the next answer says. It reserves one token itself. */
async function left(gateway: TestGateway): Promise<number> {
  const response = await ask(gateway, { max_tokens: 1, probe: true })
  await response.arrayBuffer()
  return Number(/;r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
}

const usage = (input: number, output: number): Answer => {
  const body = { model: 'dear', usage: { prompt_tokens: input, completion_tokens: output, total_tokens: 1 } }
  return (_request, response) => answerJson(response, { body })
}

/** Answers the probes of `left` with a failure, which costs nothing. */
const exceptProbes =
  (answer: Answer): Answer =>
  (request, response) => {
    if (request.body.includes('"probe"')) answerJson(response, { status: 404, body: {} })
    else answer(request, response)
  }

const untilLeft = (gateway: TestGateway, rest: number) =>
  eventually(
    () => left(gateway),
    (found) => found === rest - 1,
  )

test('a request reserves its input and max_tokens, and pays what the model reports', async () => {
  const gateway = await startModel([tokensDay], exceptProbes(usage(30, 12)))
  const first = await ask(gateway, { model: 'dear', max_tokens: 400 })
  expect(first.headers.get('ratelimit-policy')).toBe('"tokens-day";q=1000;w=86400;agentic-unit="tokens"')
  expect(first.headers.get('ratelimit')).toMatch(/^"tokens-day";r=599;t=\d+$/)
  await first.arrayBuffer()
  await untilLeft(gateway, 1000 - 42)
  const [record] = gateway.audit
  expect(record).toMatchObject({ attributes: { usage_input: '30', usage_output: '12' } })
  const scrape = await gateway.metrics()
  const count = (kind: string) =>
    metricValue(scrape, 'agentic_tokens_total', { route: 'llm', tenant_id: 'acme', kind })
  expect([count('input'), count('output')]).toEqual([30, 12])
  expect(metricValue(scrape, 'agentic_budget_used_ratio', { policy: 'tokens-day' })).toBe(0.042)
})

test.each([
  ['a 200 without usage', 200, {}, 600],
  ['usage that is no number', 200, { usage: { prompt_tokens: 'x', completion_tokens: 1 } }, 600],
  ['a negative usage', 200, { usage: { prompt_tokens: -5, completion_tokens: 1 } }, 600],
  ['a 400 without usage', 400, {}, 1000],
  ['a 500 without usage', 500, {}, 1000],
  ['a 500 with usage', 500, { usage: { prompt_tokens: 5, completion_tokens: 1 } }, 994],
])('%s is charged as it should be', async (_name, status, body, rest) => {
  const gateway = await startModel(
    [tokensDay],
    exceptProbes((_request, response) => answerJson(response, { status, body })),
  )
  await (await ask(gateway, { max_tokens: 400 })).arrayBuffer()
  await untilLeft(gateway, rest)
})

test('a reservation that does not fit is refused until the next day, and a smaller one passes', async () => {
  const gateway = await startModel([tokensDay], exceptProbes(usage(700, 100)))
  await (await ask(gateway, { max_tokens: 900 })).arrayBuffer()
  await untilLeft(gateway, 200)
  const refused = await ask(gateway, { max_tokens: 201 })
  expect(refused.status).toBe(429)
  const body = (await refused.json()) as { retryAfter: number }
  expect(body).toMatchObject({
    type: 'error',
    code: 'BUDGET_EXCEEDED',
    message: 'The tenant has too little left of its budget for the request: the limit tokens-day is reached.',
  })
  expect(refused.headers.get('retry-after')).toBe(String(body.retryAfter))
  const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400
  expect(Math.abs(body.retryAfter - (midnight - Date.now() / 1000))).toBeLessThan(60)
  expect((await ask(gateway, {})).status).toBe(200)
})

test('money is counted by price; a free model and a free route are not stopped, an unknown model is dear', async () => {
  const gateway = await startModel([moneyMonth], exceptProbes(usage(1000, 900)))
  const first = await ask(gateway, { model: 'dear', max_tokens: 100 })
  expect(first.status).toBe(200)
  expect(first.headers.get('ratelimit-policy')).toMatch(
    /^"money-month";q=10000;w=(?:2419200|2505600|2592000|2678400);agentic-unit="cost-micro"$/,
  )
  await first.arrayBuffer()
  await eventually(
    () => gateway.audit,
    (audit) => audit.length === 1,
  )
  expect(gateway.audit[0]).toMatchObject({ attributes: { cost_micro: '10000' } })
  expect((await ask(gateway, { model: 'dear', max_tokens: 1 })).status).toBe(429)
  expect((await ask(gateway, { model: 'made-up', max_tokens: 1 })).status).toBe(429)
  expect((await ask(gateway, { model: 'embed', input: 'a' })).status).toBe(429)
  expect((await ask(gateway, { model: 'free-7b', max_tokens: 1, probe: true })).status).toBe(404)
  const other = await fetch(`${gateway.url}/other`, { method: 'POST', headers: { 'X-Tenant-ID': 'acme' } })
  expect(other.status).toBe(200)
  const scrape = await gateway.metrics()
  expect(metricValue(scrape, 'agentic_cost_micro_total', { route: 'llm', tenant_id: 'acme' })).toBe(10_000)
})

const events = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
}
const stream = {
  headers: { accept: 'text/event-stream', 'X-Tenant-ID': 'acme', 'Content-Type': 'application/json' },
}

test('a stream pays what its last event reports', async () => {
  const gateway = await startModel(
    [tokensDay],
    exceptProbes((_request, response) => {
      events(response)
      response.end('data: {"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\ndata: [DONE]\n\n')
    }),
    { mode: 'sse' },
  )
  await (await ask(gateway, { max_tokens: 400 }, stream)).text()
  await untilLeft(gateway, 990)
})

test('a stream that breaks off, and one whose client leaves, pay for the events that passed', async () => {
  const open: ServerResponse[] = []
  const gateway = await startModel(
    [tokensDay],
    exceptProbes((_request, response) => {
      events(response)
      open.push(response)
    }),
    { mode: 'sse' },
  )
  const broken = await ask(gateway, { max_tokens: 300 }, stream)
  open[0]?.destroy()
  await broken.text().catch(() => undefined)
  await untilLeft(gateway, 999)
  const leaving = new AbortController()
  const left = await ask(gateway, { max_tokens: 200 }, { ...stream, signal: leaving.signal })
  expect(left.status).toBe(200)
  leaving.abort()
  await eventually(gateway.metrics, (text) => text.includes('outcome="client_disconnect"'))
  await untilLeft(gateway, 998)
  const scrape = await gateway.metrics()
  expect(metricValue(scrape, 'agentic_tokens_total', { kind: 'reserved', tenant_id: 'acme' })).toBe(2)
})

test('a time-out pays its reservation', async () => {
  const gateway = await startModel(
    [tokensDay],
    exceptProbes(() => undefined),
    { executionTimeoutSeconds: 1 },
  )
  expect((await ask(gateway, { max_tokens: 300 })).status).toBe(500)
  await untilLeft(gateway, 700)
})

test('a stream that comes beyond the limit of streams pays its reservation', async () => {
  const upstream = await startUpstream(exceptProbes((_request, response) => events(response)))
  const gateway = await startGateway({
    gateway: { rate_limits: [tokensDay], llm: { max_sse_connections_per_tenant: 1 } },
    routes: [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url, mode: 'sse' }],
  })
  // The client accepts no event stream by name, so that the slot is taken when the service has answered.
  const open = await ask(gateway, { max_tokens: 300 })
  expect(open.status).toBe(200)
  const refused = await ask(gateway, { max_tokens: 200 })
  expect(refused.status).toBe(429)
  await untilLeft(gateway, 500)
  await open.body?.cancel()
})
