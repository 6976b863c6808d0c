import { expect, it } from 'vitest'
import type { LogFields } from '../../log.ts'
import { createDeliveryReport, WARN_INTERVAL_MS } from './audit-exporter.ts'

function reportWithClock() {
  const warnings: LogFields[] = []
  const calls: unknown[] = []
  const clock = { now: 0 }
  const silent = () => undefined
  const report = createDeliveryReport({
    exporter: 'otlp',
    now: () => clock.now,
    log: { debug: silent, info: silent, error: silent, warn: (_, fields = {}) => warnings.push(fields) },
    metrics: {
      auditEmitted: (...call) => calls.push(call),
      auditEmitDuration: (...call) => calls.push(call),
    },
  })
  return { report, warnings, calls, clock }
}

it('books what was written and what was lost, with the time it took', () => {
  const { report, calls } = reportWithClock()
  report.written(3, 0.25)
  report.dropped(2, new Error('reset'), 0.5)
  report.dropped(1, 'full')
  expect(calls).toEqual([
    ['otlp', 'error', 0],
    ['otlp', 'ok', 3],
    ['otlp', 0.25],
    ['otlp', 'error', 2],
    ['otlp', 0.5],
    ['otlp', 'error', 1],
  ])
})

it('warns at once, then once per interval with the sum, and of the rest on closing', () => {
  const { report, warnings, clock } = reportWithClock()
  report.dropped(1, new Error('refused'))
  for (let n = 0; n < 1000; n += 1) report.dropped(1, 'full')
  expect(warnings).toEqual([{ exporter: 'otlp', records: 1, cause: 'refused' }])
  clock.now = WARN_INTERVAL_MS
  report.dropped(5, 'full')
  report.dropped(2, 'closed')
  report.close()
  report.close()
  expect(warnings.slice(1)).toEqual([
    { exporter: 'otlp', records: 1005, cause: 'full' },
    { exporter: 'otlp', records: 2, cause: 'closed' },
  ])
})

it('is failing from a loss to the next success', () => {
  const { report } = reportWithClock()
  expect(report.failing()).toBe(false)
  report.dropped(1, 'full')
  expect(report.failing()).toBe(true)
  report.written(1, 0)
  expect(report.failing()).toBe(false)
})
