import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { startServer } from '@agentic-rest/testing/start-server'
import { untilStill } from '@agentic-rest/testing/until-still'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSocket } from './harness/raw-client.ts'

const MEBIBYTE = 1_048_576
const CLIENTS = 20
const chunk = Buffer.from(`data: ${'x'.repeat(65_520)}\n\n`)

/** An upstream that writes as fast as it is read, and tells how much that was. */
async function startFirehose() {
  const written = { bytes: 0, blocked: 0 }
  const upstream = await startServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const push = () => {
      while (!response.destroyed && written.bytes < 4096 * MEBIBYTE) {
        written.bytes += chunk.length
        if (response.write(chunk)) continue
        written.blocked += 1
        response.once('drain', push)
        return
      }
    }
    push()
  })
  return { upstream, written }
}

/** What the kernel can hold of one stream: it lets the buffers of both connections grow to their limits on its own. */
function kernelMebibytes(): number {
  const largest = (name: string) => Number(readFileSync(`/proc/sys/net/ipv4/${name}`, 'utf8').split(/\s+/)[2])
  return (2 * (largest('tcp_rmem') + largest('tcp_wmem'))) / MEBIBYTE
}

/** One client that does read, for a few seconds' worth of chunks. */
async function readAWhile(port: number, request: string): Promise<void> {
  const socket = await openSocket(port)
  socket.write(request)
  let bytes = 0
  while (bytes < 64 * MEBIBYTE) {
    const [data] = await once(socket, 'data')
    bytes += data.length
  }
  socket.destroy()
}

describe('clients that never read', () => {
  it('cost under 60 MB for 20 of them, because the upstream is held back', async () => {
    const { upstream, written } = await startFirehose()
    const { port, rss, stop } = await startGatewayProcess({
      config: {
        gateway: { llm: { max_sse_connections_per_tenant: CLIENTS } },
        routes: [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url, mode: 'sse' }],
      },
    })
    onTestFinished(stop)
    const request = [
      'POST /llm HTTP/1.1',
      'Host: gateway',
      'X-Tenant-ID: acme',
      'Accept: text/event-stream',
      'Content-Length: 0',
      '\r\n',
    ].join('\r\n')
    // What the first megabytes cost, compiled code and buffers that are kept for reuse, is not the readers' doing.
    await readAWhile(port, request)
    const before = rss()
    for (let index = 0; index < CLIENTS; index += 1) {
      const socket = await openSocket(port)
      socket.write(request)
      await once(socket, 'readable')
    }
    // The upstream has come to rest when nothing moves for a while: every buffer on the way is full.
    await untilStill(() => written.bytes)
    const grown = (rss() - before) / MEBIBYTE
    process.stdout.write(`20 stalled readers cost ${grown.toFixed(1)} MiB\n`)
    expect(grown).toBeLessThan(60)
    expect(written.bytes / MEBIBYTE).toBeLessThan(CLIENTS * kernelMebibytes() + 60)
  })
})
