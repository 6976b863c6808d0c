import { execFile } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { makeCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startServer } from '@agentic-rest/testing/start-server'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'

const STREAMS = 30

/** A gateway with TLS before a service that has a page, an answer and streams. */
async function start() {
  const streams: ServerResponse[] = []
  const upstream = await startServer((request, response) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      streams.push(response)
    } else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>page</title>')
  })
  const { cert, key } = makeCertificate()
  const files = writeFiles({ cert, key })
  const route = { method: 'GET', target: upstream.url, conformance: 'off' }
  const { port } = await startGateway({
    gateway: {
      tls: { cert_file: files.cert, key_file: files.key },
      llm: { max_sse_connections_per_tenant: STREAMS },
    },
    plugins: { 'token-validator': { mode: 'off' }, 'tenant-injector': { trust_header: 'everyone' } },
    routes: [
      { id: 'page', path: '/page', ...route },
      { id: 'events', path: '/events', mode: 'sse', ...route },
    ],
  })
  return { streams, url: `https://127.0.0.1:${port}` }
}

const run = promisify(execFile)

testWith(
  'h2load',
  'h2load gets every answer over HTTP/2, 30 streams at a time on each of 2 connections',
  async (h2load) => {
    const { url } = await start()
    const tenant = ['-H', 'X-Tenant-ID: acme']
    // Below 64 at once: from there on a gateway refuses requests while its event loop is late.
    const { stdout } = await run(h2load, ['-n2000', '-c2', '-m30', ...tenant, `${url}/page`])
    expect(stdout).toContain('Application protocol: h2')
    expect(stdout).toContain(
      'requests: 2000 total, 2000 started, 2000 done, 2000 succeeded, 0 failed, 0 errored, 0 timeout',
    )
    expect(stdout).toContain('status codes: 2000 2xx, 0 3xx, 0 4xx, 0 5xx')
  },
)

testWith('chromium', 'a page in Chromium holds 30 event streams at once', async () => {
  const { url, streams } = await start()
  const browser = await sharedBrowser()
  onTestFinished(() => browser.close())
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    extraHTTPHeaders: { 'X-Tenant-ID': 'acme' },
  })
  const page = await context.newPage()
  await page.goto(`${url}/page`)
  const received = page.evaluate(
    (count) =>
      Promise.all(
        Array.from({ length: count }, () => {
          const source = new EventSource('/events')
          return new Promise<string>((resolve) => {
            source.onmessage = ({ data }) => resolve(String(data))
          })
        }),
      ),
    STREAMS,
  )
  // No event is sent before all streams are open: six connections would never get there.
  await expect.poll(() => streams.length).toBe(STREAMS)
  for (const [index, response] of streams.entries()) response.write(`data: ${index}\n\n`)
  const expected = streams.map((_response, index) => String(index))
  expect((await received).toSorted()).toEqual(expected.toSorted())
  const protocol = await page.evaluate('performance.getEntriesByType("navigation")[0].nextHopProtocol')
  expect(protocol).toBe('h2')
})
