import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { startServer } from '@agentic-rest/testing/start-server'
import { untilStill } from '@agentic-rest/testing/until-still'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSocket } from './harness/raw-client.ts'

const MEBIBYTE = 1_048_576
const block = Buffer.alloc(65_536, 'agentic')

/** An upstream that sends `size` bytes as fast as they are taken. */
async function startLargeUpstream(size: number) {
  const sent = { bytes: 0 }
  const upstream = await startServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size })
    let left = size
    const push = () => {
      while (left > 0 && !response.destroyed) {
        const part = block.subarray(0, Math.min(left, block.length))
        left -= part.length
        sent.bytes += part.length
        if (!response.write(part)) return void response.once('drain', push)
      }
      response.end()
    }
    push()
  })
  return { ...upstream, sent }
}

const request = 'GET /large HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\nConnection: close\r\n\r\n'

describe('a large answer', () => {
  it('waits for clients that do not read: 8 of them cost under 60 MB, and each gets every byte in the end', async () => {
    const size = 32 * MEBIBYTE
    const upstream = await startLargeUpstream(size)
    const { port, url, rss, stop } = await startGatewayProcess({
      config: {
        routes: [{ id: 'large', method: 'GET', path: '/large', target: upstream.url, conformance: 'off' }],
      },
    })
    onTestFinished(stop)
    // Code that has not run yet and the usual garbage of a transfer would count as growth.
    const warm = await fetch(`${url}/large`, { headers: { 'X-Tenant-ID': 'acme' } })
    expect((await warm.arrayBuffer()).byteLength).toBe(size)
    upstream.sent.bytes = 0
    const before = rss()
    const sockets = await Promise.all(Array.from({ length: 8 }, () => openSocket(port)))
    for (const socket of sockets) {
      socket.pause()
      socket.write(request)
    }
    await untilStill(() => upstream.sent.bytes)
    const grown = (rss() - before) / MEBIBYTE
    process.stdout.write(`8 slow readers of a large answer cost ${grown.toFixed(1)} MiB\n`)
    expect(grown).toBeLessThan(60)
    expect(upstream.sent.bytes).toBeLessThan(8 * 16 * MEBIBYTE)
    const expected = createHash('sha256')
    for (let left = size; left > 0; left -= block.length) expected.update(block)
    const digest = expected.digest('hex')
    for (const socket of sockets) expect(await readBody(socket)).toEqual({ length: size, digest })
  })
})

async function readBody(socket: Awaited<ReturnType<typeof openSocket>>) {
  const hash = createHash('sha256')
  let length = 0
  let head: Buffer | undefined = Buffer.alloc(0)
  const take = (bytes: Buffer) => {
    hash.update(bytes)
    length += bytes.length
  }
  socket.on('data', (chunk) => {
    if (head === undefined) return take(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    take(head.subarray(end + 4))
    head = undefined
  })
  socket.resume()
  await once(socket, 'close')
  return { length, digest: hash.digest('hex') }
}
