import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { headerValues, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it } from 'vitest'
import { expectRefusal } from './harness/expect-refusal.ts'

const TOTAL = { code: 'OVERLOADED', limit: 'max_buffered_bytes' } as const
const SHARE = { code: 'LIMIT_EXCEEDED', limit: 'max_buffered_bytes_per_tenant', retryAfter: 1 } as const
const json = { 'content-type': 'application/json' }
const rules = [{ name: 'ticket', keywords: ['nobody-writes-this'], action: 'redact' }]
const sanitize = { 'prompt-sanitize': { max_body_bytes: 10_000, rules } }

/** A JSON text of so many bytes. */
const textOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))

async function startHolding(limits: Record<string, number>, plugins: Record<string, unknown> = sanitize) {
  const held: ServerResponse[] = []
  const upstream = await startUpstream((_request, response) => void held.push(response))
  const gateway = await startGateway({
    gateway: { limits },
    plugins: { 'otel-audit': { include_rejected: true }, ...plugins },
    routes: [{ id: 'r', method: 'POST', path: '/r', target: upstream.url }],
  })
  const post = (tenant: string, body: string | Readable, headers: Record<string, string> = {}) =>
    sendRequest(`${gateway.url}/r`, {
      method: 'POST',
      headers: { ...json, 'x-tenant-id': tenant, ...headers },
      body,
    })
  const buffered = async () => metricValue(await gateway.metrics(), 'agentic_gateway_buffered_bytes')
  return {
    ...gateway,
    post,
    holds: (count: number) =>
      eventually(
        () => held.length,
        (length) => length === count,
      ),
    answerAll: () => {
      for (const response of held.splice(0)) answerJson(response, { body: { ok: true } })
    },
    buffers: (bytes: number) => eventually(buffered, (value) => value === bytes),
  }
}

it('a body that does not fit beside those of others is refused with 503, unread, until they end', async () => {
  const limits = { max_buffered_bytes: 2000, max_buffered_bytes_per_tenant: 1500 }
  const { post, holds, buffers, answerAll, audit } = await startHolding(limits)
  const first = [post('acme', textOf(800)), post('globex', textOf(700))]
  await holds(2)
  await buffers(1500)
  // The rest of this body is never sent.
  const begun = new Readable({ read: () => undefined })
  begun.push('"')
  const refused = await post('initech', begun, { 'content-length': '501' })
  expectRefusal(refused, 503, TOTAL)
  expect(headerValues(refused, 'retry-after')).toEqual(['1'])
  await eventually(
    () => audit.length,
    (length) => length === 1,
  )
  expect(audit[0]).toMatchObject({ attributes: { limit: 'max_buffered_bytes' } })
  const fits = post('initech', textOf(500))
  await holds(3)
  await buffers(2000)
  answerAll()
  for (const { status } of await Promise.all([...first, fits])) expect(status).toBe(200)
  await buffers(0)
})

it('one tenant cannot hold all bytes', async () => {
  const limits = { max_buffered_bytes: 4000, max_buffered_bytes_per_tenant: 1000 }
  const { post, holds, answerAll } = await startHolding(limits)
  const first = post('acme', textOf(900))
  await holds(1)
  expectRefusal(await post('acme', textOf(101)), 429, SHARE)
  const other = post('globex', textOf(1000))
  await holds(2)
  answerAll()
  expect([(await first).status, (await other).status]).toEqual([200, 200])
})

it('a chunked body is refused as soon as it no longer fits', async () => {
  const { post, buffers } = await startHolding({
    max_buffered_bytes: 1000,
    max_buffered_bytes_per_tenant: 1000,
  })
  const body = new Readable({ read: () => undefined })
  const answer = post('acme', body, { 'transfer-encoding': 'chunked' })
  body.push('"'.padEnd(600, 'x'))
  await buffers(600)
  body.push('x'.repeat(600))
  expectRefusal(await answer, 429, SHARE)
  await buffers(0)
})

it('declared bytes that never come reserve nothing, and clients that leave give back what they sent', async () => {
  const limits = { max_buffered_bytes: 10_000, max_buffered_bytes_per_tenant: 10_000 }
  const { url, post, buffers, holds, answerAll } = await startHolding(limits)
  const leaving = new AbortController()
  const left = Array.from({ length: 8 }, () => {
    const body = new Readable({ read: () => undefined })
    body.push('"'.padEnd(100, 'x'))
    const headers = { ...json, 'content-length': '9000' }
    return sendRequest(`${url}/r`, { method: 'POST', headers, body, signal: leaving.signal })
  })
  await buffers(800)
  const served = post('acme', textOf(9000))
  await holds(1)
  answerAll()
  expect((await served).status).toBe(200)
  await buffers(800)
  leaving.abort()
  for (const answer of left) await expect(answer).rejects.toThrow('aborted')
  await buffers(0)
})

it('a small body counts without any rule too; one that streams through does not', async () => {
  const limits = { max_buffered_bytes: 100_000, max_buffered_bytes_per_tenant: 1000 }
  const { post, buffers, holds, answerAll } = await startHolding(limits, {})
  const first = post('acme', textOf(900))
  await holds(1)
  await buffers(900)
  expectRefusal(await post('acme', textOf(101)), 429, SHARE)
  const streamed = post('acme', textOf(70_000))
  await holds(2)
  await buffers(900)
  answerAll()
  expect([(await first).status, (await streamed).status]).toEqual([200, 200])
  await buffers(0)
})
