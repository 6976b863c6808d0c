import { createClient, type StreamEvent } from '@agentic-rest/client'
import { eventually } from '@agentic-rest/testing/eventually'
import { openStream } from '@agentic-rest/testing/stream-client'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { clientKinds, connectClient, type Json } from '../mcp/official-clients.ts'
import { ids, startStories, storyWords, wholeStream } from './through-gateway.ts'

test('a stream of the SDK passes the gateway byte for byte, and both records say that it is complete', async () => {
  const { url, audit } = await startStories()
  const stream = await openStream({ url: `${url}/stories`, headers: ids, body: '{"topic":"mice"}' })
  expect(await stream.ended).toEqual({ complete: true, text: wholeStream })
  expect(stream.response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'x-agentic-profile': 'v0.3',
    'x-accel-buffering': 'no',
  })
  expect(audit).toMatchObject([{ attributes: { events: '3', end: 'complete' } }])
})

test('the client gets the events and the outcome', async () => {
  const { url } = await startStories()
  const events: StreamEvent[] = []
  const client = createClient({ baseUrl: url, tenantId: 'acme' })
  const outcome = await client.run(
    { method: 'POST', path: '/stories', body: { topic: 'mice' } },
    { onEvent: (event) => void events.push(event) },
  )
  expect(events.map(({ data }) => JSON.parse(data).text)).toEqual(storyWords)
  expect(events[1]).toMatchObject({ event: 'middle', id: 'm-1' })
  expect(outcome).toEqual({ type: 'success', body: { story: storyWords.join(' ') } })
})

test('a caller without a stream gets the outcome alone', async () => {
  const { url } = await startStories()
  const answer = await fetch(`${url}/stories`, {
    method: 'POST',
    headers: { ...ids, 'Content-Type': 'application/json' },
    body: '{"topic":"mice"}',
  })
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { story: storyWords.join(' '), trace: { correlationId: 'corr-1', requestId: 'req-1' } },
  ])
})

test('the openai package reads a raw stream', async () => {
  const { url } = await startStories()
  const client = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: 'none',
    maxRetries: 0,
    defaultHeaders: { 'X-Tenant-ID': 'acme' },
  })
  const texts: string[] = []
  for await (const { choices } of await client.completions.create({ model: 'm', prompt: 'a', stream: true }))
    texts.push(choices[0]?.text ?? '')
  expect(texts).toEqual(storyWords)
})

test.each(clientKinds)(
  'the MCP client %s gets progress for each event, and the outcome as the result',
  async (kind) => {
    const { url } = await startStories()
    const person = { asked: [], answer: () => ({}), tenant: 'acme' }
    const client = await connectClient(kind, `${url}/mcp`, person)
    await eventually(
      () => client.listTools(),
      (tools: Json) => (tools.tools ?? tools).length > 0,
    )
    const { result, messages } = await client.callWithProgress({
      name: 'tell-story',
      arguments: { topic: 'mice' },
    })
    await client.close()
    expect(messages.map((message) => JSON.parse(message).text)).toEqual(storyWords)
    expect(result.structuredContent).toMatchObject({ story: storyWords.join(' ') })
  },
)
