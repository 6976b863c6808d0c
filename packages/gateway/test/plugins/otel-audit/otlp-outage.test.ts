import { connect, createServer, type Server, type Socket } from 'node:net'
import { eventually } from '@agentic-rest/testing/eventually'
import { freePort } from '@agentic-rest/testing/free-port'
import { expect, it, onTestFinished, vi } from 'vitest'
import { otelAudit } from '../../../src/plugins/otel-audit/otel-audit.ts'
import { ownTime } from '../../harness/own-time.ts'
import { stopTime } from '../../harness/stop-time.ts'
import { makeContext } from '../make-exchange.ts'
import { listenTcp, portOf, startCollector } from './collector.ts'
import { auditOptions, type CountedMetrics, countedMetrics, driveMany } from './drive.ts'

const BATCH = 256

function pluginFor(port: number) {
  const metrics = countedMetrics()
  const context = makeContext({ metrics })
  const options = auditOptions({ exporter: 'otlp', otlp_endpoint: `http://127.0.0.1:${port}` })
  return { plugin: otelAudit(options, context), metrics, context }
}

/** Waits until `count` records are counted. */
async function counted(metrics: CountedMetrics, count: number): Promise<void> {
  await eventually(
    () => metrics.ok() + metrics.error(),
    (sum) => sum >= count,
  )
}

it('drops while nobody listens, warns, and lets every request pass', async () => {
  const { plugin, metrics, context } = pluginFor(await freePort())
  expect(await driveMany(plugin, 1_000)).toBe(true)
  await plugin.close?.()
  expect([metrics.ok(), metrics.error()]).toEqual([0, 1_000])
  const warnings = context.lines.filter(({ level }) => level === 'warn')
  expect(warnings.reduce((sum, { fields }) => sum + Number(fields['records']), 0)).toBe(1_000)
  expect(warnings[0]?.fields['cause']).toMatch(/UNAVAILABLE.*ECONNREFUSED/)
})

it('exports again after the collector was killed and started anew, with every record counted', async () => {
  const first = await startCollector({ port: await freePort() })
  const { plugin, metrics } = pluginFor(first.port)
  await driveMany(plugin, BATCH)
  await first.arrived(BATCH)
  await counted(metrics, BATCH)
  first.kill()
  await driveMany(plugin, 2 * BATCH)
  await counted(metrics, 3 * BATCH)
  expect([metrics.ok(), metrics.error()]).toEqual([BATCH, 2 * BATCH])

  const second = await startCollector({ port: first.port })
  onTestFinished(() => second.kill())
  let driven = 3 * BATCH
  // gRPC connects again after a back-off of about a second; until then batches are dropped.
  while (metrics.ok() === BATCH) {
    await driveMany(plugin, BATCH)
    driven += BATCH
    await counted(metrics, driven)
  }
  await driveMany(plugin, 1_000)
  await plugin.close?.()
  expect(metrics.ok() + metrics.error()).toBe(driven + 1_000)
  expect(first.spans.length + second.spans.length).toBe(metrics.ok())
  expect(second.spans.length).toBeGreaterThanOrEqual(1_000)
})

it('drops what a silent collector does not answer within five seconds', async () => {
  const { plugin, metrics, context } = pluginFor(await silentPort())
  const startedAt = performance.now()
  const ownMs = await ownTime(async () => {
    await driveMany(plugin, BATCH)
    await counted(metrics, BATCH)
  })
  expect((performance.now() - startedAt) / 1000).toBeGreaterThan(4.5)
  expect(ownMs / 1000).toBeLessThan(8)
  expect([metrics.ok(), metrics.error()]).toEqual([0, BATCH])
  expect(context.lines[0]?.fields['cause']).toMatch(/DEADLINE_EXCEEDED/)
  await plugin.close?.()
})

it('closes within two seconds of a silent collector, with every record counted', async () => {
  const { plugin, metrics } = pluginFor(await silentPort())
  // The first batches would fail after five seconds, and a busy machine can need more for all requests.
  stopTime()
  onTestFinished(() => void vi.useRealTimers())
  await driveMany(plugin, 20_000)
  vi.useRealTimers()
  expect(metrics.error()).toBe(20_000 - 8_192)
  expect(await ownTime(async () => plugin.close?.())).toBeLessThan(3000)
  expect([metrics.ok(), metrics.error()]).toEqual([0, 20_000])
})

it('drops the batch that a reset cuts in the middle, and the next ones arrive', async () => {
  const collector = await startCollector()
  onTestFinished(() => collector.kill())
  const proxy = await startCuttingProxy(collector.port)
  const { plugin, metrics } = pluginFor(proxy.port)
  await driveMany(plugin, BATCH)
  await counted(metrics, BATCH)
  proxy.cutNext()
  await driveMany(plugin, BATCH)
  await counted(metrics, 2 * BATCH)
  expect([metrics.ok(), metrics.error()]).toEqual([BATCH, BATCH])
  expect(proxy.cuts()).toBe(1)
  await driveMany(plugin, 2 * BATCH)
  await plugin.close?.()
  expect([metrics.ok(), metrics.error()]).toEqual([3 * BATCH, BATCH])
  expect(collector.spans).toHaveLength(3 * BATCH)
})

/** A server that never answers. */
async function silentPort(): Promise<number> {
  const server = createServer((socket) => socket.resume().on('error', () => undefined))
  return portOf(await servedUntilEnd(server))
}

/** A proxy to the collector. When cut, it forwards half of the next large chunk and resets both ends. */
async function startCuttingProxy(target: number) {
  let cutting = false
  let cuts = 0
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    ignoreErrors(client, upstream)
    upstream.pipe(client)
    client.on('data', (chunk) => {
      if (!cutting || chunk.length < 1_000) return upstream.write(chunk)
      cutting = false
      cuts += 1
      upstream.write(chunk.subarray(0, chunk.length / 2), () => upstream.resetAndDestroy())
      return client.resetAndDestroy()
    })
  })
  const cutNext = () => {
    cutting = true
  }
  return { port: portOf(await servedUntilEnd(server)), cutNext, cuts: () => cuts }
}

function ignoreErrors(...sockets: Socket[]): void {
  for (const socket of sockets) socket.on('error', () => undefined)
}

function servedUntilEnd(server: Server): Promise<Server> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return listenTcp(server)
}
