import { expect, test } from 'vitest'
import { metricText } from './metric-text.ts'

test('metrics are written with escaped labels, cumulative buckets and infinity', () => {
  const text = metricText([
    {
      name: 'jobs',
      help: 'Jobs of\na queue.',
      type: 'gauge',
      labels: ['queue'],
      series: [{ labels: ['a "b" \\ \n'], value: Number.NEGATIVE_INFINITY }],
    },
    {
      name: 'wait_seconds',
      help: 'Waits.',
      type: 'histogram',
      labels: ['queue'],
      buckets: [1, 5],
      series: [{ labels: ['x'], value: 7.5, counts: [1, 2, 3] }],
    },
    { name: 'none', help: 'Nothing.', type: 'counter', labels: [], series: [] },
  ])
  expect(text).toBe(`# HELP jobs Jobs of\\na queue.
# TYPE jobs gauge
jobs{queue="a \\"b\\" \\\\ \\n"} -Inf

# HELP wait_seconds Waits.
# TYPE wait_seconds histogram
wait_seconds_bucket{le="1",queue="x"} 1
wait_seconds_bucket{le="5",queue="x"} 3
wait_seconds_bucket{le="+Inf",queue="x"} 6
wait_seconds_sum{queue="x"} 7.5
wait_seconds_count{queue="x"} 6

# HELP none Nothing.
# TYPE none counter
`)
})
