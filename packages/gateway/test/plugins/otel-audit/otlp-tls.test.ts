import { expect, it, onTestFinished, vi } from 'vitest'
import { otelAudit } from '../../../src/plugins/otel-audit/otel-audit.ts'
import { stopTime } from '../../harness/stop-time.ts'
import { makeContext } from '../make-exchange.ts'
import { certificateFile, startCollector } from './collector.ts'
import { auditOptions, countedMetrics, drive } from './drive.ts'

async function exportTo(endpoint: string) {
  // Closing gives up after two seconds, and a busy machine can need more.
  stopTime()
  onTestFinished(() => void vi.useRealTimers())
  const metrics = countedMetrics()
  const plugin = otelAudit(
    auditOptions({ exporter: 'otlp', otlp_endpoint: endpoint }),
    makeContext({ metrics }),
  )
  await drive(plugin)
  await plugin.close?.()
  return [metrics.ok(), metrics.error()]
}

async function collectorWith(tls: boolean) {
  const collector = await startCollector({ tls })
  onTestFinished(() => collector.kill())
  return collector
}

it('reaches a collector by TLS when the address is https and its authority is known', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_CERTIFICATE', certificateFile)
  onTestFinished(() => void vi.unstubAllEnvs())
  const collector = await collectorWith(true)
  expect(await exportTo(collector.url)).toEqual([1, 0])
  expect(collector.spans).toHaveLength(1)
})

it('sends nothing to a collector whose certificate it cannot check', async () => {
  const collector = await collectorWith(true)
  expect(await exportTo(collector.url)).toEqual([0, 1])
  expect(collector.spans).toEqual([])
})

it('never falls back to a plain connection', async () => {
  const collector = await collectorWith(false)
  expect(await exportTo(`https://localhost:${collector.port}`)).toEqual([0, 1])
  expect(collector.spans).toEqual([])
})
