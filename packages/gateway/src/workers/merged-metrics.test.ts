import { metricValue } from '@agentic-rest/testing/metric-value'
import { expect, test } from 'vitest'
import { metricTable } from '../metrics/metric-table.ts'
import { isCount, Registry } from '../metrics/registry.ts'
import { MergedMetrics } from './merged-metrics.ts'

/** A worker with so many requests of a tenant, one of them open. */
function workerWith(requests: number, tenant = 'acme') {
  const registry = new Registry()
  registry.counter(metricTable.requests).add(requests, 'read', 'success', tenant)
  registry.gauge(metricTable.inFlight).set(1)
  registry.counter(metricTable.configReloads).add(9, 'applied')
  registry.gauge(metricTable.build).set(1, '1', 'p', 'n')
  const duration = registry.histogram({ ...metricTable.requestDuration, buckets: [1] })
  for (let count = 0; count < requests; count += 1) duration.observe(0.5, 'read')
  return registry.values()
}

const REQUESTS = metricTable.requests.name

test('counters, gauges and histograms are added up, what is told once is not, and reloads are the supervisor’s', () => {
  const merged = new MergedMetrics<{ readonly name: string }>()
  const now = new Map([
    [{ name: 'first' }, workerWith(3)],
    [{ name: 'second' }, workerWith(4)],
  ])
  const { text } = merged.expose(now)
  expect(metricValue(text, REQUESTS, { tenant_id: 'acme' })).toBe(7)
  expect(metricValue(text, `${metricTable.requestDuration.name}_bucket`, { le: '1' })).toBe(7)
  expect(metricValue(text, metricTable.inFlight.name)).toBe(2)
  expect(metricValue(text, metricTable.build.name)).toBe(1)
  expect(metricValue(text, metricTable.configReloads.name, { result: 'applied' })).toBe(0)
})

test('what workers that are gone have counted stays, and what was open in them does not', () => {
  const merged = new MergedMetrics<{ readonly name: string }>()
  for (const worker of [{ name: 'first' }, { name: 'second' }]) {
    merged.counted(worker, workerWith(5).filter(isCount))
    merged.leave(worker)
  }
  const { text } = merged.expose(new Map([[{ name: 'third' }, workerWith(1)]]))
  expect(metricValue(text, REQUESTS)).toBe(11)
  expect(metricValue(text, metricTable.inFlight.name)).toBe(1)
})

test('workers that go at the same time are all kept, and never missing', () => {
  const merged = new MergedMetrics<{ readonly name: string }>()
  const workers = [{ name: 'first' }, { name: 'second' }, { name: 'third' }]
  for (const worker of workers) merged.counted(worker, workerWith(5).filter(isCount))
  for (const worker of workers) merged.leave(worker)
  const during = merged.expose(new Map())
  const after = merged.expose(new Map())
  expect([during, after].map(({ text }) => metricValue(text, REQUESTS))).toEqual([15, 15])
})

test('a worker that died after it answered a scrape is counted once, in that scrape and in the next', () => {
  const merged = new MergedMetrics<{ readonly name: string }>()
  const worker = { name: 'gone' }
  const values = workerWith(5)
  merged.counted(worker, values.filter(isCount))
  merged.leave(worker)
  merged.counted(worker, values.filter(isCount))
  expect(metricValue(merged.expose(new Map([[worker, values]])).text, REQUESTS)).toBe(5)
  expect(metricValue(merged.expose(new Map()).text, REQUESTS)).toBe(5)
})

test('a worker that does not answer counts with what it told last', () => {
  const merged = new MergedMetrics<{ readonly name: string }>()
  merged.counted({ name: 'stuck' }, workerWith(5).filter(isCount))
  const { text } = merged.expose(new Map([[{ name: 'other' }, workerWith(2)]]))
  expect(metricValue(text, REQUESTS)).toBe(7)
})

test('workers that name different tenants name 1,000 of them together', () => {
  const merged = new MergedMetrics<{ readonly name: string }>()
  const registry = new Registry()
  const counter = registry.counter(metricTable.requests)
  for (let tenant = 0; tenant < 1500; tenant += 1) counter.inc('read', 'success', `t${tenant}`)
  const { text } = merged.expose(new Map([[{ name: 'one' }, registry.values()]]))
  expect(text.split('\n').filter((line) => line.startsWith(`${REQUESTS}{`))).toHaveLength(1001)
  expect(metricValue(text, REQUESTS, { tenant_id: 'other' })).toBe(500)
})
