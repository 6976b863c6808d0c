import type { ServerResponse } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, type ReceivedRequest, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'

const BUDGET = 100_000
const PROMPT = 'word'.repeat(1000)
const PROMPT_TOKENS = 1000
const messages = [{ role: 'user', content: PROMPT }]
/** The tokens of `role` and `content` together. */
const MESSAGES_TOKENS = PROMPT_TOKENS + 1

type Answer = (request: ReceivedRequest, response: ServerResponse) => void

/** A model behind a budget of tokens. Probes of the budget get a 404, which costs nothing. */
async function start(answer: Answer, { tokens = BUDGET, route = {} } = {}) {
  const upstream = await startUpstream((request, response) => {
    if (request.body.toString() === '{}') answerJson(response, { status: 404, body: {} })
    else answer(request, response)
  })
  const gateway = await startGateway({
    gateway: { rate_limits: [{ name: 'tokens', tokens, per: 'month', estimate: 50 }] },
    routes: [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url, ...route }],
  })
  return { gateway, upstream }
}

const ask = ({ url }: TestGateway, body: object | string, init: RequestInit = {}) =>
  fetch(`${url}/llm`, {
    method: 'POST',
    headers: { 'X-Tenant-ID': 'acme', 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  })

/** Waits until the budget has been charged; the probe itself reserves 50. */
const untilCharged = (gateway: TestGateway, charged: number) =>
  eventually(
    async () => {
      const probe = await ask(gateway, '{}')
      await probe.arrayBuffer()
      return BUDGET - 50 - Number(/;r=(\d+)/.exec(probe.headers.get('ratelimit') ?? '')?.[1])
    },
    (found) => found === charged,
  )

const silent: Answer = (_request, response) => answerJson(response, { body: { text: 'a' } })

test('200 requests at once reserve their input: no more pass than the budget has room for', async () => {
  const held: ServerResponse[] = []
  const { gateway, upstream } = await start((_request, response) => held.push(response), {
    tokens: 10 * (MESSAGES_TOKENS + 9) + 5,
  })
  let refused = 0
  const all = Array.from({ length: 200 }, async () => {
    const { status } = await ask(gateway, { max_tokens: 9, messages })
    if (status === 429) refused += 1
    return status
  })
  // All are decided on before the first of them is settled.
  await eventually(
    () => refused + held.length,
    (decided) => decided === 200,
  )
  const usage = { prompt_tokens: MESSAGES_TOKENS, completion_tokens: 9 }
  for (const response of held) answerJson(response, { body: { usage } })
  const statuses = await Promise.all(all)
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  expect(refused).toBe(190)
  expect(upstream.requests).toHaveLength(10)
})

test.for([
  ['a chat', 'application/json', { max_tokens: 1, messages }, MESSAGES_TOKENS + 1],
  [
    'a chat with input: null',
    'application/json',
    { max_tokens: 1, messages, input: null },
    MESSAGES_TOKENS + 1,
  ],
  ['a chat that says to be plain text', 'text/plain', { max_tokens: 1, messages }, MESSAGES_TOKENS + 1],
  ['an unknown shape', 'application/json', { contents: [{ parts: [[PROMPT]] }] }, PROMPT_TOKENS + 50],
  ['a list', 'application/json', [PROMPT], PROMPT_TOKENS + 1 + 50],
  ['bytes that are no JSON', 'application/octet-stream', `${PROMPT}abc`, PROMPT_TOKENS + 1 + 50],
  ['a prompt of token ids', 'application/json', { prompt: [[1, 2, 3], [4]], max_tokens: 7 }, 4 + 7],
  [
    'a limit that a chat does not read',
    'application/json',
    { max_output_tokens: 1, messages },
    MESSAGES_TOKENS + 50,
  ],
] as const)('%s without a report pays its input too', async ([, type, body, charged]) => {
  const { gateway } = await start(silent)
  const headers = { 'X-Tenant-ID': 'acme', 'Content-Type': type }
  await (await ask(gateway, body, { headers })).arrayBuffer()
  await untilCharged(gateway, charged)
})

const EVENT = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
const FINISH = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
const stream = {
  headers: { accept: 'text/event-stream', 'X-Tenant-ID': 'acme', 'Content-Type': 'application/json' },
}

test('a client that leaves at finish_reason pays its input and the events', async () => {
  const { gateway } = await start(
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      // The report would follow.
      response.write(EVENT.repeat(20) + FINISH)
    },
    { route: { mode: 'sse' } },
  )
  const leaving = new AbortController()
  const answer = await ask(
    gateway,
    { max_tokens: 1, messages, stream: true },
    { ...stream, signal: leaving.signal },
  )
  for await (const part of answer.body ?? []) if (Buffer.from(part).includes('finish_reason')) break
  leaving.abort()
  await untilCharged(gateway, MESSAGES_TOKENS + 21)
})

test('a stream without a report pays its events, and the bytes of a large one by four', async () => {
  const large = `data: ${'x'.repeat(1024 + 399)}\n\n`
  const { gateway } = await start((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`: comment\n\n${EVENT}${large}data: [DONE]\n\n`)
  })
  await (await ask(gateway, { max_tokens: 9000, messages })).text()
  await untilCharged(gateway, MESSAGES_TOKENS + 3 + 100)
})

test('a stream that breaks off before its first event pays its reservation', async () => {
  const { gateway } = await start((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': wait\n\n', () => response.destroy())
  })
  await (await ask(gateway, { max_tokens: 300, messages })).text().catch(() => undefined)
  await untilCharged(gateway, MESSAGES_TOKENS + 300)
})

const asksForUsage = ({ body }: ReceivedRequest) =>
  body.toString().includes('"stream_options":{"include_usage":true}')

test('a counted route with mode sse asks for usage unless its file says no', async () => {
  for (const [route, asks] of [
    [{ mode: 'sse' }, true],
    [{ mode: 'sse', inject_usage: false }, false],
    [{ mode: 'json' }, false],
    [{ mode: 'json', inject_usage: true }, true],
  ] as const) {
    const { gateway, upstream } = await start(silent, { route })
    await (await ask(gateway, { messages, stream: true })).arrayBuffer()
    await (await ask(gateway, { messages, stream: true, input: null })).arrayBuffer()
    expect(upstream.requests.map(asksForUsage)).toEqual([asks, asks])
  }
})

test('a route of the Messages API, which refuses the member, and one that nobody counts do not ask', async () => {
  const upstream = await startUpstream(silent)
  const route = { method: 'POST', target: upstream.url, mode: 'sse' }
  const { url } = await startGateway({
    gateway: { rate_limits: [{ name: 'tokens', tokens: BUDGET, per: 'month', routes: ['counted'] }] },
    routes: [
      { ...route, id: 'counted', path: '/v1/messages' },
      { ...route, id: 'free', path: '/free' },
    ],
  })
  for (const path of ['/v1/messages', '/free'])
    await (
      await fetch(url + path, {
        method: 'POST',
        headers: stream.headers,
        body: JSON.stringify({ messages, stream: true }),
      })
    ).arrayBuffer()
  expect(upstream.requests.map(asksForUsage)).toEqual([false, false])
})
