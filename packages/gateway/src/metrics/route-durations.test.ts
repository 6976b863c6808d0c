import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createRouteDurations } from './route-durations.ts'

const bounds = [0.005, 0.1, 1]
const named = { name: 'duration_seconds', help: 'How long it took.' }

it("says what prom-client's own histogram says", async () => {
  const [registry, reference] = [new Registry(), new Registry()]
  const durations = createRouteDurations({ ...named, registers: [registry] }, bounds)
  const histogram = new Histogram({
    ...named,
    labelNames: ['route'],
    buckets: bounds,
    registers: [reference],
  })
  for (const [route, seconds] of [
    ['create', 0.005],
    ['create', 0.0051],
    ['read', 0],
    ['create', 1],
    ['read "quoted"\\', 1.5],
    ['create', 300],
  ] as const) {
    durations.observe(route, seconds)
    histogram.observe({ route }, seconds)
  }
  expect(await registry.metrics()).toBe(await reference.metrics())
  expect(await valuesIn(registry)).toEqual(await valuesIn(reference))
})

/** What other processes are told; exemplars are not used. */
async function valuesIn(registry: Registry): Promise<unknown> {
  const withoutExemplars = (key: string, value: unknown) => (key === 'exemplar' ? undefined : value)
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON(), withoutExemplars))
}
