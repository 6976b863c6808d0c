import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { metricValue } from '../../test/harness/metric-value.ts'
import { metricTable } from '../metrics/metric-table.ts'
import { definition, isCount, valuesOf } from '../metrics/metrics.ts'
import { createMergedMetrics } from './merged-metrics.ts'

/** A worker with so many requests of a tenant, one of them open. */
async function workerWith(requests: number, tenant = 'acme') {
  const registry = new Registry()
  const labels = { route: 'read', outcome: 'success', tenant_id: tenant }
  new Counter(definition(metricTable.requests, registry)).inc(labels, requests)
  new Gauge(definition(metricTable.inFlight, registry)).set(1)
  new Counter(definition(metricTable.configReloads, registry)).inc({ result: 'applied' }, 9)
  new Gauge(definition(metricTable.build, registry)).set({ version: '1', profile: 'p', node: 'n' }, 1)
  const duration = new Histogram({ ...definition(metricTable.requestDuration, registry), buckets: [1] })
  for (let count = 0; count < requests; count += 1) duration.observe({ route: 'read' }, 0.5)
  return await valuesOf(registry)
}

const REQUESTS = metricTable.requests.name

test('counters, gauges and histograms are added up, what is told once is not, and reloads are the primary’s', async () => {
  const merged = createMergedMetrics<{ readonly name: string }>()
  const now = new Map([
    [{ name: 'first' }, await workerWith(3)],
    [{ name: 'second' }, await workerWith(4)],
  ])
  const { text } = await merged.expose(now, [])
  expect(metricValue(text, REQUESTS, { tenant_id: 'acme' })).toBe(7)
  expect(metricValue(text, `${metricTable.requestDuration.name}_bucket`, { le: '1' })).toBe(7)
  expect(metricValue(text, metricTable.inFlight.name)).toBe(2)
  expect(metricValue(text, metricTable.build.name)).toBe(1)
  expect(text).not.toContain(metricTable.configReloads.name)
})

test('what workers that are gone have counted stays, and what was open in them does not', async () => {
  const merged = createMergedMetrics<{ readonly name: string }>()
  for (const worker of [{ name: 'first' }, { name: 'second' }]) {
    merged.counted(worker, (await workerWith(5)).filter(isCount))
    await merged.leave(worker)
  }
  const { text } = await merged.expose(new Map([[{ name: 'third' }, await workerWith(1)]]), [])
  expect(metricValue(text, REQUESTS)).toBe(11)
  expect(metricValue(text, metricTable.inFlight.name)).toBe(1)
})

test('workers that go at the same time are all kept, and never missing', async () => {
  const merged = createMergedMetrics<{ readonly name: string }>()
  const workers = [{ name: 'first' }, { name: 'second' }, { name: 'third' }]
  for (const worker of workers) merged.counted(worker, (await workerWith(5)).filter(isCount))
  const leaving = workers.map((worker) => merged.leave(worker))
  const during = await merged.expose(new Map(), [])
  await Promise.all(leaving)
  const after = await merged.expose(new Map(), [])
  expect([during, after].map(({ text }) => metricValue(text, REQUESTS))).toEqual([15, 15])
})

test('a worker that died after it answered a scrape is counted once, in that scrape and in the next', async () => {
  const merged = createMergedMetrics<{ readonly name: string }>()
  const worker = { name: 'gone' }
  const values = await workerWith(5)
  merged.counted(worker, values.filter(isCount))
  await merged.leave(worker)
  merged.counted(worker, values.filter(isCount))
  expect(metricValue((await merged.expose(new Map([[worker, values]]), [])).text, REQUESTS)).toBe(5)
  expect(metricValue((await merged.expose(new Map(), [])).text, REQUESTS)).toBe(5)
})

test('a worker that does not answer counts with what it told last', async () => {
  const merged = createMergedMetrics<{ readonly name: string }>()
  merged.counted({ name: 'stuck' }, (await workerWith(5)).filter(isCount))
  const { text } = await merged.expose(new Map([[{ name: 'other' }, await workerWith(2)]]), [])
  expect(metricValue(text, REQUESTS)).toBe(7)
})

test('workers that name different tenants name 1,000 of them together', async () => {
  const merged = createMergedMetrics<{ readonly name: string }>()
  const registry = new Registry()
  const counter = new Counter(definition(metricTable.requests, registry))
  for (let tenant = 0; tenant < 1500; tenant += 1)
    counter.inc({ route: 'read', outcome: 'success', tenant_id: `t${tenant}` })
  const { text } = await merged.expose(new Map([[{ name: 'one' }, await valuesOf(registry)]]), [])
  expect(text.split('\n').filter((line) => line.startsWith(`${REQUESTS}{`))).toHaveLength(1001)
  expect(metricValue(text, REQUESTS, { tenant_id: 'other' })).toBe(500)
})
