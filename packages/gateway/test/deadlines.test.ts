import { once } from 'node:events'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { PATIENCE_MS } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownTime } from './harness/own-time.ts'
import { openSocket, parseResponse } from './harness/raw-client.ts'

const route = (target: string, more: object) => ({
  id: 'slow',
  method: 'POST',
  path: '/slow',
  target,
  executionTimeoutSeconds: 1,
  ...more,
})
const ask = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/slow`, { method: 'POST', headers: { 'X-Tenant-ID': 'acme', ...headers } })

async function timeUntilTimeout(url: string): Promise<number> {
  const started = performance.now()
  const response = await ask(url, { 'X-Correlation-ID': 'c', 'X-Request-ID': 'r' })
  const took = performance.now() - started
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({
    type: 'error',
    code: 'EXECUTION_TIMEOUT',
    message: 'The operation took longer than it may.',
    trace: { correlationId: 'c', requestId: 'r' },
  })
  return took
}

describe('executionTimeoutSeconds', () => {
  it('answers 500 EXECUTION_TIMEOUT within 250 ms of its end, under load, and aborts the upstream', async () => {
    let closed = 0
    const upstream = await startUpstream((_request, response) => response.on('close', () => (closed += 1)))
    const { url, metrics } = await startGateway({ routes: [route(upstream.url, {})] })
    // The clients' own connecting counts for them too; the gateway's part is checked by its histogram.
    const durations = async () => {
      const scrape = await metrics()
      const count = (le: string) =>
        metricValue(scrape, 'agentic_request_duration_seconds_bucket', { route: 'slow', le })
      const sum = metricValue(scrape, 'agentic_request_duration_seconds_sum', { route: 'slow' })
      return { early: count('0.5'), inTime: count('2.5'), sum }
    }
    // With 64 of them a gateway whose event loop is late, as on a busy machine, would refuse some.
    const together = 60
    const askAtOnce = async () => {
      const before = await durations()
      const times = await Promise.all(Array.from({ length: together }, () => timeUntilTimeout(url)))
      expect(Math.min(...times)).toBeGreaterThanOrEqual(990)
      const after = await durations()
      expect(after.early).toBe(0)
      return { inTime: after.inTime - before.inTime, average: (after.sum - before.sum) / together }
    }
    // Other processes only ever make an answer later: the best of three times shows when the gateway gives it.
    const rounds = [await askAtOnce()]
    const isInTime = ({ inTime, average }: (typeof rounds)[0]) => inTime === together && average < 1.25
    while (rounds.length < 3 && !rounds.some(isInTime)) rounds.push(await askAtOnce())
    expect(rounds.filter(isInTime), JSON.stringify(rounds)).toHaveLength(1)
    await expect.poll(() => closed).toBe(together * rounds.length)
  })

  it('of 0 means none', async () => {
    // Wait: the upstream answers after the deadline on purpose.
    const upstream = await startUpstream((_request, response) => setTimeout(() => response.end('late'), 1200))
    const { url } = await startGateway({ routes: [route(upstream.url, { executionTimeoutSeconds: 0 })] })
    expect(await (await ask(url)).text()).toBe('late')
  })

  it('counts while the body of the request is on its way', async () => {
    const upstream = await startUpstream((_request, response) => response.end())
    const { url } = await startGateway({ routes: [route(upstream.url, {})] })
    const drip = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')),
    })
    const response = await fetch(`${url}/slow`, {
      method: 'POST',
      headers: { 'X-Tenant-ID': 'acme' },
      body: drip,
      duplex: 'half',
    })
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ code: 'EXECUTION_TIMEOUT' })
  })

  it.each([
    ['a small body of known length', ['Content-Length: 10'], 'abc'],
    ['a keyed body of unknown length', ['Transfer-Encoding: chunked', 'Idempotency-Key: k'], '3\r\nabc\r\n'],
  ])('counts while %s is read', async (_title, headers, body) => {
    const upstream = await startUpstream((_request, response) => response.end())
    const { port, audit } = await startGateway({
      routes: [route(upstream.url, {}), route(upstream.url, { id: 'sse', path: '/sse', mode: 'sse' })],
    })
    for (const [path, accept] of [
      ['/slow', '*/*'],
      ['/sse', 'application/json'],
    ]) {
      const socket = await openSocket(port)
      const head = [`POST ${path} HTTP/1.1`, 'Host: g', 'X-Tenant-ID: acme', `Accept: ${accept}`, ...headers]
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
      const answer = once(socket, 'data')
      expect(await ownTime(() => answer)).toBeLessThan(1500)
      const text = String(await answer)
      expect(parseResponse(text).status).toBe(500)
      expect(text).toContain('EXECUTION_TIMEOUT')
    }
    expect(upstream.requests).toEqual([])
    await expect.poll(() => audit).toHaveLength(2)
  })

  it('cuts a body that was begun, because there is no other way to say that it is incomplete', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.write('begun')
    })
    const { url } = await startGateway({ routes: [route(upstream.url, {})] })
    const response = await ask(url)
    await expect(response.text()).rejects.toThrow()
  })
})

/** The clock and the timers of a gateway that is started from now on; sockets keep theirs. */
function fakeTime(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
}

describe('the deadline of a stream', () => {
  afterEach(() => void vi.useRealTimers())

  it('is 30 s later, and the stream ends by the last frame', async () => {
    const upstream = await startEventUpstream()
    fakeTime()
    const { url, metrics } = await startGateway({ routes: [route(upstream.url, { mode: 'sse' })] })
    const headers = { 'x-correlation-id': 'c', 'x-request-id': 'r' }
    const client = await openStream({ url: `${url}/slow`, headers })
    const { response, closed } = await upstream.opened()
    vi.advanceTimersByTime(30_500)
    response.write('data: still here\n\n')
    await client.until('still here')
    vi.advanceTimersByTime(501)
    const { complete, text } = await client.ended
    const body = {
      type: 'error',
      code: 'EXECUTION_TIMEOUT',
      message: 'The operation took longer than it may.',
      trace: { correlationId: 'c', requestId: 'r' },
    }
    expect(complete).toBe(true)
    expect(text).toBe(`data: still here\n\nevent: error\ndata: ${JSON.stringify(body)}\n\n`)
    await closed
    vi.useRealTimers()
    const scrape = await metrics()
    expect(metricValue(scrape, 'agentic_gateway_sse_errors_total', { error_kind: 'timeout' })).toBe(1)
    expect(metricValue(scrape, 'agentic_gateway_sse_connections_active', { tenant_id: 'acme' })).toBe(0)
  })

  it('is the plain one when the client does not ask for a stream', async () => {
    const upstream = await startUpstream(() => undefined)
    const { url } = await startGateway({ routes: [route(upstream.url, { mode: 'sse' })] })
    const answer = ask(url)
    expect(await ownTime(() => answer)).toBeLessThan(2000)
    expect((await answer).status).toBe(500)
  })

  it('is a real response before the first byte', async () => {
    const upstream = await startUpstream(() => undefined)
    fakeTime()
    const { url } = await startGateway({ routes: [route(upstream.url, { mode: 'sse' })] })
    const answer = ask(url, { Accept: 'text/event-stream' })
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(1), { interval: 5, timeout: PATIENCE_MS })
    vi.advanceTimersByTime(31_001)
    const response = await answer
    expect(response.status).toBe(500)
    expect(response.headers.get('content-type')).toBe('application/vnd.agentic.error+json')
  })
})
