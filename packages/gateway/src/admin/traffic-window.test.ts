import { expect, test } from 'vitest'
import { TrafficWindow } from './traffic-window.ts'

const times = (durationMs: number) => ({ durationMs, upstreamMs: durationMs / 2, pluginMs: 1 })

test('a window counts outcomes and gives p50 and p99', () => {
  const window = new TrafficWindow()
  for (let ms = 1; ms <= 100; ms += 1) window.add(ms % 2 === 0 ? 'success' : 'error', times(ms))
  expect(window.take()).toEqual({
    requests: 100,
    outcomes: { error: 50, success: 50 },
    latency: { p50: 50, p99: 99 },
    upstream: { p50: 25, p99: 49.5 },
    plugins: { p50: 1, p99: 1 },
  })
})

test('a taken window starts at 0, and a second without requests has no latency', () => {
  const window = new TrafficWindow()
  window.add('success', { durationMs: 1, upstreamMs: undefined, pluginMs: 1 })
  expect(window.take()).toMatchObject({ requests: 1, upstream: null, latency: { p50: 1, p99: 1 } })
  expect(window.take()).toEqual({ requests: 0, outcomes: {}, latency: null, upstream: null, plugins: null })
})

test('a flood is sampled evenly, early and late requests alike', () => {
  const window = new TrafficWindow()
  for (let index = 0; index < 100_000; index += 1) window.add('success', times(index < 50_000 ? 10 : 20))
  const { requests, latency } = window.take()
  expect(requests).toBe(100_000)
  expect(latency?.p99).toBe(20)
  expect([10, 20]).toContain(latency?.p50)
})
