import * as promClient from 'prom-client'
import { expect, it } from 'vitest'
import * as prometheus from './prometheus.ts'

it('has the classes of prom-client, and no others', () => {
  const { loadAggregatorRegistry, ...classes } = prometheus
  const { Counter, Gauge, Histogram, Registry } = promClient
  expect(classes).toEqual({ Counter, Gauge, Histogram, Registry })
  expect(loadAggregatorRegistry()).toBe(promClient.AggregatorRegistry)
})
