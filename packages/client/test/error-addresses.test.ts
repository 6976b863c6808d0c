import { expect, test } from 'vitest'
import { createClient, TransportError } from '../src/index.ts'
import { startRunService } from './run-service.ts'
import { sampleOutcomes } from './sample-outcomes.ts'
import { sendOutcome } from './scenario-service/send-outcome.ts'

const secret = { method: 'GET', path: '/stock/{id}', params: { id: 'a b' }, query: { key: 'do-not-show' } }

async function failureOf(work: Promise<unknown>): Promise<TransportError> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(error instanceof TransportError)) throw new Error('it did not fail', { cause: error })
  expect(`${error.message}${error.address}`).not.toContain('do-not-show')
  return error
}

test('a connection that fails names origin and path, and neither query nor token', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:9/api', token: 'do-not-show' })
  const { code, message, address } = await failureOf(client.request(secret))
  expect({ code, message, address }).toEqual({
    code: 'NETWORK',
    message: 'the connection failed (http://127.0.0.1:9/api/stock/a%20b)',
    address: 'http://127.0.0.1:9/api/stock/a%20b',
  })
})

test.each([
  ['TIMEOUT', { timeoutMs: 20 }, 'there was no answer in time'],
  ['ABORTED', { signal: AbortSignal.abort('enough') }, 'the request was aborted'],
])('%s names the address', async (code, settings, message) => {
  const { client, url } = await startRunService(() => undefined)
  const error = await failureOf(client.request({ ...secret, ...settings }))
  expect([error.code, error.message]).toEqual([code, `${message} (${url}/stock/a%20b)`])
})

test('an answer above the limit names the address and has the ids', async () => {
  const { client, url } = await startRunService(
    ({ trace }, response) => sendOutcome(response, trace, sampleOutcomes.success),
    { maxResponseBytes: 3 },
  )
  const error = await failureOf(client.request({ ...secret, correlationId: 'c-1' }))
  expect([error.code, error.message]).toEqual([
    'RESPONSE_TOO_LARGE',
    `the answer is larger than 3 bytes (${url}/stock/a%20b)`,
  ])
  expect(error.trace?.correlationId).toBe('c-1')
})

test('an event above the limit names the address', async () => {
  const { client, url } = await startRunService(
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: 12345\n\n'),
    { maxEventLength: 3 },
  )
  const error = await failureOf(client.stream(secret).next())
  expect([error.code, error.address]).toEqual(['EVENT_TOO_LARGE', `${url}/stock/a%20b`])
})

test('a status at another origin is named without its credentials', async () => {
  const { client } = await startRunService(({ trace }, response) =>
    sendOutcome(response, trace, {
      ...sampleOutcomes.accepted,
      statusUrl: 'http://me:do-not-show@elsewhere.example/operations/1?key=do-not-show',
    }),
  )
  const error = await failureOf(client.run({ method: 'POST', path: '/work' }))
  expect([error.code, error.address]).toEqual(['FOREIGN_ORIGIN', 'http://elsewhere.example/operations/1'])
})
