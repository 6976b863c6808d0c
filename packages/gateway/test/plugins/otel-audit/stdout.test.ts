import { PassThrough, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { otelAudit } from '../../../src/plugins/otel-audit/otel-audit.ts'
import { ownTime } from '../../harness/own-time.ts'
import { makeContext } from '../make-exchange.ts'
import { auditOptions, countedMetrics, drive, driveMany } from './drive.ts'

function pluginOn(stdout: Writable) {
  const metrics = countedMetrics()
  const context = makeContext({ metrics, stdout })
  return { plugin: otelAudit(auditOptions(), context), metrics, context }
}

it('writes many records in few writes', async () => {
  let writes = 0
  const { plugin, metrics } = pluginOn(
    new Writable({
      write(_chunk, _encoding, done) {
        writes += 1
        done()
      },
    }),
  )
  await driveMany(plugin, 1000)
  await plugin.close?.()
  expect([metrics.ok(), metrics.error()]).toEqual([1000, 0])
  expect(writes).toBeLessThan(50)
})

it('has one write under way at a time, so that the buffer of the stream stays empty', async () => {
  const releases: (() => void)[] = []
  const stdout = new Writable({ write: (_chunk, _encoding, done) => void releases.push(done) })
  const { plugin, metrics } = pluginOn(stdout)
  await driveMany(plugin, 20_000)
  expect(releases).toHaveLength(1)
  expect(stdout.writableLength).toBeLessThanOrEqual(65_536)
  expect(metrics.ok()).toBe(0)
  expect(metrics.error()).toBe(20_000 - 8_192)
  const closed = plugin.close?.()
  while (releases.length > 0) {
    releases.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
  expect([metrics.ok(), metrics.error()]).toEqual([8_192, 20_000 - 8_192])
})

it('drops a batch whose write fails, warns, is degraded, and goes on with the next', async () => {
  const results = [new Error('no space left'), undefined]
  // Like the stdout of a process, which an error does not destroy.
  const stdout = Object.assign(new PassThrough(), {
    write: (_chunk: string, done: (error?: Error) => void) => void setImmediate(done, results.shift()),
  })
  const { plugin, metrics, context } = pluginOn(stdout as unknown as Writable)
  const settled = async (count: number) => {
    while (metrics.ok() + metrics.error() < count) await new Promise((resolve) => setImmediate(resolve))
  }
  await drive(plugin)
  await settled(1)
  expect(plugin.degraded?.()).toBe('otel-audit drops records')
  await drive(plugin)
  await settled(2)
  expect(plugin.degraded?.()).toBeUndefined()
  await plugin.close?.()
  expect([metrics.ok(), metrics.error()]).toEqual([1, 1])
  expect(context.lines).toEqual([
    {
      level: 'warn',
      message: 'audit records were dropped',
      fields: { exporter: 'stdout', records: 1, cause: 'no space left' },
    },
  ])
})

it('books records as lost when stdout is destroyed, whoever did it', async () => {
  const stdout = new PassThrough()
  const { plugin, metrics } = pluginOn(stdout)
  stdout.destroy()
  await driveMany(plugin, 10)
  await plugin.close?.()
  expect([metrics.ok(), metrics.error()]).toEqual([0, 10])
})

it('survives an error of stdout that comes late, and leaves no listener behind otherwise', async () => {
  const stdout = new PassThrough()
  const { plugin } = pluginOn(stdout)
  expect(stdout.listenerCount('error')).toBe(1)
  await plugin.close?.()
  expect(stdout.listenerCount('error')).toBe(0)
  expect(stdout.writableEnded).toBe(false)

  const stalled = new Writable({ write: () => undefined })
  const late = pluginOn(stalled)
  await drive(late.plugin)
  await late.plugin.close?.()
  stalled.destroy(new Error('EPIPE'))
  await new Promise((resolve) => stalled.once('close', resolve))
  expect([late.metrics.ok(), late.metrics.error()]).toEqual([0, 1])
})

it('gives a stalled reader two seconds on closing, and books the rest', async () => {
  const { plugin, metrics, context } = pluginOn(new Writable({ write: () => undefined }))
  await driveMany(plugin, 100)
  const startedAt = performance.now()
  expect(await ownTime(async () => plugin.close?.())).toBeLessThan(3000)
  expect(performance.now() - startedAt).toBeGreaterThan(1900)
  expect([metrics.ok(), metrics.error()]).toEqual([0, 100])
  expect(context.lines.map(({ fields }) => fields)).toEqual([
    { exporter: 'stdout', records: 100, cause: 'the time to flush is over' },
  ])
})
