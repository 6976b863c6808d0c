import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { makeCertificate } from '@agentic-rest/testing/make-certificate'
import { openServer } from '@agentic-rest/testing/open-server'
import { startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { frame, frameTypes, get, head } from '../packages/gateway/test/http2/frames.ts'
import { cpuMicroseconds, residentKilobytes } from './cpu-time.ts'

// Measures a gateway with TLS: the CPU time of a GET with HTTP/1.1 and with HTTP/2, in turn, by h2load; then its memory for
// streams of HTTP/2 whose clients do not read. `node --conditions=agentic-source bench/http2-cost.ts`

const ROUNDS = 5
const REQUESTS = 4000
const CONNECTIONS = 10
const STREAMS_PER_CONNECTION = 100
const FLOOD_SECONDS = 5
const FLOOD = Buffer.from(`data: ${'x'.repeat(16_000)}\n\n`)

const streams = new Set<ServerResponse>()
const service = await openServer((incoming, response) => {
  if (incoming.url !== '/events') {
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ id: 'x'.repeat(190) }))
    return
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
  streams.add(response)
})
const target = service.url
const { cert, key } = makeCertificate()
const folder = mkdtempSync(join(tmpdir(), 'agentic-http2-cost-'))
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
writeFileSync(files.cert, cert)
writeFileSync(files.key, key)
const all = 10_000
const config = {
  gateway: {
    tls: { cert_file: files.cert, key_file: files.key },
    llm: { max_sse_connections_per_tenant: all },
    limits: { max_upstream_connections_per_origin: all, max_upstream_connections_per_tenant: all },
  },
  routes: [
    { id: 'item', method: 'GET', path: '/items/{id}', target },
    { id: 'events', method: 'GET', path: '/events', target, mode: 'sse', executionTimeoutSeconds: 0 },
  ],
}
const gateway = await startGatewayProcess({ folder, config, certificate: cert })
const { port, pid } = gateway
const run = promisify(execFile)

/** As many requests at once in both protocols: 32 on as many connections, or on 4. */
const protocols = { 'HTTP/1.1': ['--h1', '-c32'], 'HTTP/2': ['-c4', '-m8'] } as const

async function cost(options: readonly string[]): Promise<number> {
  const before = cpuMicroseconds(pid)
  const { stdout } = await run('h2load', [
    `-n${REQUESTS}`,
    ...options,
    ...['-H', 'X-Tenant-ID: acme'],
    `https://127.0.0.1:${port}/items/1`,
  ])
  if (!stdout.includes(`${REQUESTS} succeeded`)) throw new Error(stdout)
  return (cpuMicroseconds(pid) - before) / REQUESTS
}

const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const costs = new Map(Object.keys(protocols).map((name) => [name, [] as number[]]))
for (let round = 0; round <= ROUNDS; round += 1)
  for (const [name, options] of Object.entries(protocols)) {
    const measured = await cost(options)
    // The first round compiles.
    if (round > 0) costs.get(name)?.push(measured)
  }
for (const [name, values] of costs)
  process.stdout.write(`${name}: ${middle(values).toFixed(1)} µs a GET (median of ${ROUNDS} rounds)\n`)

const LARGEST_WINDOW = 2 ** 31 - 1
const INITIAL_WINDOW_SIZE = 4
const WINDOW_UPDATE = 8
const DEFAULT_WINDOW = 65_535

/** Opens streams with the given windows, and reads nothing of them. */
async function stall(window: number): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca: cert, ALPNProtocols: ['h2'] })
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  socket.pause()
  const settings = Buffer.alloc(6)
  settings.writeUInt16BE(INITIAL_WINDOW_SIZE, 0)
  settings.writeUInt32BE(window, 2)
  const increment = Buffer.alloc(4)
  increment.writeUInt32BE(window - DEFAULT_WINDOW)
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  socket.write(frame({ type: frameTypes.settings, flags: 0, stream: 0, payload: settings }))
  if (window > DEFAULT_WINDOW)
    socket.write(frame({ type: WINDOW_UPDATE, flags: 0, stream: 0, payload: increment }))
  const fields = [
    ...get('/events'),
    ['x-tenant-id', 'acme'] as const,
    ['accept', 'text/event-stream'] as const,
  ]
  for (let index = 0; index < STREAMS_PER_CONNECTION; index += 1) socket.write(head(2 * index + 1, fields))
  return socket
}

for (const window of [DEFAULT_WINDOW, LARGEST_WINDOW]) {
  const before = residentKilobytes(pid)
  const clients = []
  for (let count = 0; count < CONNECTIONS; count += 1) clients.push(await stall(window))
  while (streams.size < CONNECTIONS * STREAMS_PER_CONNECTION) await wait(10)
  const end = performance.now() + FLOOD_SECONDS * 1000
  let sent = 0
  while (performance.now() < end) {
    for (const stream of streams)
      if (stream.writableLength < FLOOD.length) {
        stream.write(FLOOD)
        sent += FLOOD.length
      }
    await wait(20)
  }
  const megabytes = (residentKilobytes(pid) - before) / 1024
  process.stdout.write(
    `${streams.size} stalled streams on ${CONNECTIONS} connections with windows of ${window}: ${megabytes.toFixed(0)} MB for ${(sent / 1e6).toFixed(0)} MB sent\n`,
  )
  for (const client of clients) client.destroy()
  for (const stream of streams) stream.destroy()
  streams.clear()
  await wait(2000)
}
await gateway.stop()
rmSync(folder, { recursive: true })
await service.close()
