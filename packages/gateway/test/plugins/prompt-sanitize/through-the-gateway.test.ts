import { once } from 'node:events'
import { request } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { document, rules, traces } from './planted-documents.ts'
import { everyDetector, invalidAnswer, rejectedAnswer, type TestRule } from './sanitizing.ts'

const seed = Number(process.env['SEED'])

async function startWorld(chosen: readonly TestRule[], options: object = {}) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const gateway = await startGateway({
    plugins: {
      'prompt-sanitize': { rules: chosen, ...options },
      'otel-audit': { include_request_body: true },
    },
    routes: [{ id: 'ask', method: 'POST', path: '/ask', target: upstream.url }],
  })
  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/ask`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Correlation-ID': 'corr-1',
        'X-Request-ID': 'req-1',
        'X-Tenant-ID': 'acme',
        ...headers,
      },
      body,
    })
  return { ...gateway, upstream, post }
}

async function answerOf(response: Response) {
  return {
    status: response.status,
    mediaType: response.headers.get('content-type'),
    body: await response.json(),
  }
}

test(`no planted value reaches the upstream or the audit record (seed ${seed})`, async () => {
  const { post, upstream, audit } = await startWorld(rules)
  const sent: string[] = []
  await fc.assert(
    fc.asyncProperty(document, async ({ text }) => {
      expect((await post(text)).status).toBe(200)
      sent.push(text)
      const forwarded = upstream.requests.at(-1)
      expect(traces(forwarded?.body.toString() ?? '')).toEqual([])
      expect(forwarded?.headers['content-length']).toBe(String(forwarded?.body.length))
    }),
    { seed, numRuns: 150 },
  )
  const records = await eventually(
    () => audit,
    (lines) => lines.length === sent.length,
  )
  for (const [n, record] of records.entries()) {
    expect(record['request_body']).toBe(upstream.requests[n]?.body.toString())
    expect(traces(JSON.stringify(record))).toEqual([])
  }
})

test('a clean body arrives byte for byte', async () => {
  const { post, upstream } = await startWorld(everyDetector)
  const body = '{ "n": 12345678901234567890,\r\n "f": 1.0, "a": 1, "a": 2 , "s": "\\u00e9" }'
  await post(body)
  expect(upstream.requests[0]?.body.toString()).toBe(body)
})

test('a chunked body is treated and framed anew', async () => {
  const { port, upstream } = await startWorld(everyDetector)
  const outgoing = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/ask',
    headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked', 'X-Tenant-ID': 'acme' },
  })
  outgoing.write('{"m":"alice@exam')
  outgoing.end('ple.com"}')
  const [response] = await once(outgoing, 'response')
  response.resume()
  await once(response, 'end')
  const [seen] = upstream.requests
  expect(seen?.body.toString()).toBe('{"m":"[REDACTED:email]"}')
  expect(seen?.headers).toMatchObject({ 'content-length': '24' })
  expect(seen?.headers['transfer-encoding']).toBeUndefined()
})

test.each([
  ['a rejected value', '{"a":["4111111111111111"]}', {}, rejectedAnswer('/a/0', 'card')],
  ['malformed JSON', '{"a":', {}, invalidAnswer('body', 'The body must be valid JSON.')],
  [
    'an encoded body',
    '{}',
    { 'Content-Encoding': 'gzip' },
    invalidAnswer('Content-Encoding', 'The body must not be encoded, because it is inspected.'),
  ],
] as const)('%s is answered and not forwarded', async (_title, body, headers, expected) => {
  const { post, upstream, audit } = await startWorld([
    { name: 'card', builtin: 'credit_card', action: 'reject' },
  ])
  expect(await answerOf(await post(body, headers))).toEqual(expected)
  expect(upstream.requests).toEqual([])
  expect(audit).toEqual([])
})

test('a body above the limit is answered and not forwarded, even in part', async () => {
  const { post, upstream } = await startWorld(everyDetector, { max_body_bytes: 100 })
  const response = await post(JSON.stringify('x'.repeat(100)))
  expect(await answerOf(response)).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } })
  expect(upstream.requests).toEqual([])
})

test('bodies of other types that may pass arrive as they are and are counted', async () => {
  const { post, upstream, metrics } = await startWorld(everyDetector, { uninspected: 'pass' })
  const bytes = Buffer.from([0xff, 0x00, ...Buffer.from('alice@example.com')])
  expect((await post(bytes, { 'Content-Type': 'application/octet-stream' })).status).toBe(200)
  expect(upstream.requests[0]?.body).toEqual(bytes)
  const scrape = await metrics()
  const name = /^# TYPE (\S*sanitize\S*) counter$/m.exec(scrape)?.[1] ?? ''
  expect(metricValue(scrape, name, { route: 'ask' })).toBe(1)
})
