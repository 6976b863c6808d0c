import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { type RequestOptions, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'

const rules = [
  { name: 'email', builtin: 'email' },
  { name: 'secret', keywords: ['swordfish'], action: 'reject' },
]

async function startWorld() {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const gateway = await startGateway({
    plugins: { 'prompt-sanitize': { rules } },
    routes: [{ id: 'ask', method: 'POST', path: '/ask', target: upstream.url }],
  })
  const post = (body: string, options: RequestOptions = {}) =>
    sendRequest(`${gateway.url}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      ...options,
    })
  return { ...gateway, upstream, post }
}

const textOf = (last: string) => JSON.stringify([...Array(20_000).fill('some words'), last])

test('a large body is redacted, refused or forwarded unchanged, like a small one', async () => {
  const { post, upstream } = await startWorld()
  expect((await post(textOf('mail alice@example.test'))).status).toBe(200)
  expect((await post(textOf('nothing'))).status).toBe(200)
  const refused = await post(textOf('swordfish'))
  expect(refused.status).toBe(422)
  expect(JSON.parse(refused.body.toString()).errors).toEqual([
    { field: '/20000', message: 'The value is not allowed here by the rule "secret".' },
  ])
  const expected = [textOf('mail [REDACTED:email]'), textOf('nothing')]
  expect(upstream.requests.map(({ body }) => body.toString() === expected.shift())).toEqual([true, true])
})

test('a client that leaves while its body is inspected ends its request, and the next body is inspected', async () => {
  const { post, metrics, upstream } = await startWorld()
  const leaving = new AbortController()
  const left = post(textOf('alice@example.test'), { signal: leaving.signal })
  const buffered = async () => metricValue(await metrics(), 'agentic_gateway_buffered_bytes') ?? 0
  await eventually(buffered, (bytes) => bytes > 200_000)
  leaving.abort()
  await expect(left).rejects.toThrow('aborted')
  await eventually(buffered, (bytes) => bytes === 0)
  expect((await post(textOf('alice@example.test'))).status).toBe(200)
  expect(upstream.requests).toHaveLength(1)
})
