import { gzipSync } from 'node:zlib'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startUpstream, type TestUpstream } from '@agentic-rest/testing/start-upstream'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { type ModelAnswer, startOpenAi } from '../harness/openai-upstream.ts'

const BUDGET = 1_000_000
const ESTIMATE = 2000
/** The texts of `chat`: 15 bytes. */
const INPUT = 4
const USAGE = { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 }
const RESPONSE_USAGE = { input_tokens: 7, output_tokens: 4, total_tokens: 11 }

const messages = [{ role: 'user' as const, content: 'Hello' }]
const chat = { model: 'gpt-4o', messages }

/** A gateway with a budget of tokens and one of money, and the openai package as its client. */
async function start(upstream: TestUpstream) {
  const paths = ['chat/completions', 'responses', 'embeddings', 'messages']
  const routes = paths.map((path) => ({
    id: path,
    method: 'POST',
    path: `/v1/${path}`,
    target: upstream.url,
    // Streams of other routes are read too.
    mode: path === 'messages' ? 'json' : 'sse',
  }))
  const silent = routes.map((route) => ({ ...route, inject_usage: false }))
  const { url, audit, metrics } = await startGateway({
    gateway: {
      rate_limits: [
        { name: 'tokens', key: ['tenant'], tokens: BUDGET, per: 'month', estimate: ESTIMATE },
        { name: 'money', key: ['tenant'], cost: 50, per: 'month' },
      ],
      prices: { models: [{ model: 'gpt-*', input: 2.5, output: 10 }] },
    },
    plugins: { 'otel-audit': { exporter: 'stdout', include_rejected: true } },
    routes: [...silent, { ...routes[0], id: 'asking', path: '/asking/chat/completions' }],
  })
  const client = (base = 'v1') =>
    new OpenAI({
      baseURL: `${url}/${base}`,
      apiKey: 'none',
      maxRetries: 0,
      defaultHeaders: { 'X-Tenant-ID': 'acme' },
    })
  /** The tokens that the budget has been charged, after the record of the request is written. */
  const charged = async () => {
    await eventually(
      () => audit.length,
      (length) => length > 0,
    )
    const headers = { 'X-Tenant-ID': 'acme', 'Content-Type': 'application/json' }
    const body = JSON.stringify({ ...chat, max_tokens: 1 })
    const probe = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    await probe.arrayBuffer()
    const left = /"tokens";r=(\d+)/.exec(probe.headers.get('ratelimit') ?? '')?.[1]
    return BUDGET - Number(left) - INPUT - 1
  }
  const record = async () =>
    (
      await eventually(
        () => audit[0],
        (first) => first !== undefined,
      )
    )?.['attributes']
  const tokens = async (kind: string) =>
    metricValue(await metrics(), 'agentic_tokens_total', { tenant_id: 'acme', kind })
  const cost = async () => metricValue(await metrics(), 'agentic_cost_micro_total', { tenant_id: 'acme' })
  return { client, charged, record, tokens, cost }
}

const startModel = async (answer: ModelAnswer) => {
  const upstream = await startOpenAi(() => answer)
  return { upstream, ...(await start(upstream)) }
}

type World = Awaited<ReturnType<typeof startModel>>

/** Cost by the prices above: 19 * 2.5 + 10 * 10 = 147.5, rounded up. */
async function expectReported({ charged, record, tokens, cost }: World): Promise<void> {
  expect(await record()).toMatchObject({ usage_input: '19', usage_output: '10', cost_micro: '148' })
  expect([await tokens('input'), await tokens('output'), await tokens('reserved')]).toEqual([19, 10, 0])
  expect(await cost()).toBe(148)
  expect(await charged()).toBe(29)
}

async function expectUnreported(
  { charged, record, tokens }: World,
  unreported = INPUT + ESTIMATE,
): Promise<void> {
  const attributes = await record()
  expect(attributes).not.toHaveProperty('usage_input')
  expect(attributes).not.toHaveProperty('usage_output')
  expect([await tokens('input'), await tokens('output'), await tokens('reserved')]).toEqual([
    0,
    0,
    unreported,
  ])
  expect(await charged()).toBe(unreported)
}

async function readAll(stream: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of stream) count += 1
  return count
}

describe('chat', () => {
  test('a whole answer is charged as reported', async () => {
    const world = await startModel({ usage: USAGE })
    const answer = await world.client().chat.completions.create(chat)
    expect(answer.usage).toEqual(USAGE)
    await expectReported(world)
  })

  test('a stream with include_usage is charged as reported', async () => {
    const world = await startModel({ usage: USAGE })
    const asked = { ...chat, stream: true as const, stream_options: { include_usage: true } }
    expect(await readAll(await world.client().chat.completions.create(asked))).toBe(5)
    await expectReported(world)
  })

  test('a stream without include_usage is charged its input and its events', async () => {
    const world = await startModel({ usage: USAGE })
    expect(await readAll(await world.client().chat.completions.create({ ...chat, stream: true }))).toBe(4)
    // Three words, the reason of the end, and [DONE].
    await expectUnreported(world, INPUT + 5)
  })

  test('the reservation is the limit of the body for each choice', async () => {
    const world = await startModel({})
    await world.client().chat.completions.create({ ...chat, max_completion_tokens: 300, n: 2 })
    await expectUnreported(world, INPUT + 600)
  })

  test('by default a stream is charged as reported although its caller did not ask', async () => {
    const world = await startModel({ usage: USAGE })
    const stream = await world.client('asking').chat.completions.create({ ...chat, stream: true })
    expect(await readAll(stream)).toBe(5)
    await expectReported(world)
  })

  test.for(['v1', 'asking'])(
    'a caller of %s that leaves in the middle is charged its input and the event it got',
    async (base) => {
      const world = await startModel({ usage: USAGE, holds: true })
      const asked = { ...chat, max_tokens: 700, stream: true as const }
      const stream = await world.client(base).chat.completions.create(asked)
      for await (const _ of stream) break
      await expectUnreported(world, INPUT + 1)
    },
  )

  test('a caller that leaves in the middle of a stream with running counts is charged the last of them', async () => {
    const world = await startModel({ usage: USAGE, holds: true, continuous: true })
    const asked = { ...chat, stream: true as const, stream_options: { include_usage: true } }
    for await (const _ of await world.client().chat.completions.create(asked)) break
    await expectReported(world)
  })

  test('an upstream that breaks off in the middle is charged what passed', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[]}\n\n', () => response.destroy())
    })
    const world = { upstream, ...(await start(upstream)) }
    const stream = await world.client().chat.completions.create({ ...chat, stream: true })
    await readAll(stream).catch(() => undefined)
    await world.record()
    expect(await world.tokens('reserved')).toBe(INPUT + 1)
  })

  test('a refusal of the upstream costs nothing', async () => {
    const world = await startModel({ status: 400 })
    await expect(world.client().chat.completions.create(chat)).rejects.toThrow('400')
    await world.record()
    expect([await world.tokens('input'), await world.tokens('reserved'), await world.cost()]).toEqual([
      0, 0, 0,
    ])
  })
})

describe('other APIs', () => {
  test.for([false, true])('responses are charged as reported, streamed: %s', async (stream) => {
    const world = await startModel({ usage: RESPONSE_USAGE })
    const answer = await world.client().responses.create({ model: 'gpt-5', input: 'Hello', stream })
    if (Symbol.asyncIterator in answer) await readAll(answer)
    expect(await world.record()).toMatchObject({ usage_input: '7', usage_output: '4', cost_micro: '58' })
    expect([await world.tokens('input'), await world.tokens('output')]).toEqual([7, 4])
  })

  test('embeddings are charged their input', async () => {
    const world = await startModel({ usage: { prompt_tokens: 8, total_tokens: 8 } })
    await world.client().embeddings.create({ model: 'gpt-e', input: 'Hello', encoding_format: 'float' })
    expect(await world.record()).toMatchObject({ usage_input: '8', usage_output: '0', cost_micro: '20' })
  })
})

describe('the Messages API', () => {
  const usage = { input_tokens: 9, cache_read_input_tokens: 10, output_tokens: 1 }
  const events = [
    { type: 'message_start', message: { model: 'gpt-like', usage } },
    { type: 'content_block_delta', delta: { type: 'text_delta', text: 'usage' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)

  test.for([4, 2])(
    'a stream is charged as reported, or its input and its events: %s events',
    async (count) => {
      const upstream = await startUpstream((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (const event of events.slice(0, count)) response.write(event)
        response.end()
      })
      const world = { upstream, ...(await start(upstream)) }
      const asked = {
        body: { model: 'gpt-like', max_tokens: 100, stream: true, messages },
        __binaryResponse: true,
      }
      const answer = await world.client().post<Response>('/messages', asked)
      expect(await answer.text()).toBe(events.slice(0, count).join(''))
      await (count === events.length ? expectReported(world) : expectUnreported(world, 19 + 2))
    },
  )
})

describe('a report that cannot be believed is charged the reservation', () => {
  test.for([
    undefined,
    null,
    'many',
    { prompt_tokens: -19, completion_tokens: 10 },
    { prompt_tokens: 1e15, completion_tokens: 10 },
    { prompt_tokens: '19', completion_tokens: '10' },
    { prompt_tokens: 19 },
    { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  ])('usage %j', async (usage) => {
    const world = await startModel({ usage })
    await world.client().chat.completions.create(chat)
    await expectUnreported(world)
  })
})

test('the upstream is asked for plain bytes, and a compressed answer is charged the reservation', async () => {
  const body = gzipSync(JSON.stringify({ choices: [], usage: USAGE }))
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(body)
  })
  const world = { upstream, ...(await start(upstream)) }
  const answer = await world.client().chat.completions.create(chat)
  expect(answer.usage).toEqual(USAGE)
  expect(upstream.requests[0]?.headers['accept-encoding']).toBe('identity')
  await expectUnreported(world)
})
