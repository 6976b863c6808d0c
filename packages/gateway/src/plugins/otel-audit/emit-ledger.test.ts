import { expect, it } from 'vitest'
import type { LogFields } from '../../log.ts'
import { createEmitLedger, WARN_INTERVAL_MS } from './emit-ledger.ts'

function ledgerWithClock() {
  const warnings: LogFields[] = []
  const calls: unknown[] = []
  const clock = { now: 0 }
  const silent = () => undefined
  const ledger = createEmitLedger({
    exporter: 'otlp',
    now: () => clock.now,
    log: { debug: silent, info: silent, error: silent, warn: (_, fields = {}) => warnings.push(fields) },
    metrics: {
      auditEmitted: (...call) => calls.push(call),
      auditEmitDuration: (...call) => calls.push(call),
    },
  })
  return { ledger, warnings, calls, clock }
}

it('books what was written and what was lost, with the time it took', () => {
  const { ledger, calls } = ledgerWithClock()
  ledger.written(3, 0.25)
  ledger.dropped(2, new Error('reset'), 0.5)
  ledger.dropped(1, 'full')
  expect(calls).toEqual([
    ['otlp', 'ok', 3],
    ['otlp', 0.25],
    ['otlp', 'error', 2],
    ['otlp', 0.5],
    ['otlp', 'error', 1],
  ])
})

it('warns at once, then once per interval with the sum, and of the rest on closing', () => {
  const { ledger, warnings, clock } = ledgerWithClock()
  ledger.dropped(1, new Error('refused'))
  for (let n = 0; n < 1000; n += 1) ledger.dropped(1, 'full')
  expect(warnings).toEqual([{ exporter: 'otlp', records: 1, cause: 'refused' }])
  clock.now = WARN_INTERVAL_MS
  ledger.dropped(5, 'full')
  ledger.dropped(2, 'closed')
  ledger.close()
  ledger.close()
  expect(warnings.slice(1)).toEqual([
    { exporter: 'otlp', records: 1005, cause: 'full' },
    { exporter: 'otlp', records: 2, cause: 'closed' },
  ])
})

it('is failing from a loss to the next success', () => {
  const { ledger } = ledgerWithClock()
  expect(ledger.failing()).toBe(false)
  ledger.dropped(1, 'full')
  expect(ledger.failing()).toBe(true)
  ledger.written(1, 0)
  expect(ledger.failing()).toBe(false)
})
