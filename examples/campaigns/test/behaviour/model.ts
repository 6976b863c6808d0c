import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { createDescriptionWriter } from '../../src/optimizations/describe-by-model.ts'
import { startCampaigns } from '../harness/start-campaigns.ts'
import { store } from '../harness/store.ts'

async function startWithModel(listener: RequestListener, timeoutMs?: number) {
  const { url: baseUrl } = await startServer(listener)
  const writer = createDescriptionWriter({
    baseUrl: `${baseUrl}/v1`,
    apiKey: 'secret',
    model: 'm',
    timeoutMs,
  })
  return startCampaigns({ store, writer })
}

const completion = (text: unknown) => JSON.stringify({ choices: [{ text, index: 0 }] })
const json = { 'content-type': 'application/json' }

test('the answer does not wait for the model; its words are there when the optimization has ended', async () => {
  const asked: unknown[] = []
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const service = await startWithModel(async (request, response) => {
    asked.push([request.method, request.url, request.headers.authorization, JSON.parse(await text(request))])
    await allowed
    response.writeHead(200, json).end(completion(`  Do\u0000 it,\n please. `))
  })
  const made = await service.optimize('cmp-123', 'ctr')
  expect(made).toMatchObject({ status: 201, body: { status: 'accepted' } })
  const path = `/campaigns/cmp-123/optimizations/${made.body['id']}`
  await expect.poll(async () => (await service.get(path)).body).toEqual({ ...made.body, status: 'running' })
  allow()
  await expect.poll(async () => (await service.get(path)).body['status']).toBe('completed')
  const computed = made.body['suggestions'] as { description: string }[]
  expect((await service.get(path)).body['suggestions']).toEqual(
    computed.map((suggestion) => ({ ...suggestion, description: 'Do it, please.' })),
  )
  expect(asked).toHaveLength(4)
  expect(asked[0]).toEqual([
    'POST',
    '/v1/completions',
    'Bearer secret',
    {
      model: 'm',
      prompt: expect.stringContaining(computed[0]?.description ?? ''),
      max_tokens: 120,
      temperature: 0,
    },
  ])
})

test.each<[string, RequestListener]>([
  ['fails', (_, response) => response.writeHead(500).end('secret')],
  ['hangs up', (request) => request.socket.destroy()],
  ['never answers', () => undefined],
  ['speaks another language', (_, response) => response.writeHead(200, json).end('{"choices":[]}')],
  ['says nothing', (_, response) => response.writeHead(200, json).end(completion(' \n'))],
  ['says too much', (_, response) => response.writeHead(200, json).end(completion('x'.repeat(501)))],
  ['says a number', (_, response) => response.writeHead(200, json).end(completion(7))],
])('a model that %s leaves the computed words', async (_, listener) => {
  const service = await startWithModel(listener, 200)
  const made = await service.optimize('cmp-123', 'reach')
  expect(made.status).toBe(201)
  const path = `/campaigns/cmp-123/optimizations/${made.body['id']}`
  await expect.poll(async () => (await service.get(path)).body['status']).toBe('completed')
  expect((await service.get(path)).body['suggestions']).toEqual(made.body['suggestions'])
})

test('in the background the words are there with the result', async () => {
  const service = await startWithModel((_, response) =>
    response.writeHead(200, json).end(completion('Do it.')),
  )
  const operation = await service.optimize('cmp-123', 'cpl', { headers: { prefer: 'respond-async' } })
  const { result } = await service.statusWhen(operation, ({ status }) => status !== 'working')
  const suggestions = result?.['suggestions'] as { description: string }[]
  expect(suggestions.map(({ description }) => description)).toEqual(Array(4).fill('Do it.'))
})
