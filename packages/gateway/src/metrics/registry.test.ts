import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type MetricDescription, Registry } from './registry.ts'

const requests = {
  name: 'requests',
  type: 'counter',
  labels: ['route', 'tenant'],
  help: 'Requests.',
} as const
const open = { name: 'open', type: 'gauge', labels: [], help: 'Open "streams"\nby \\.' } as const
const duration = {
  name: 'duration_seconds',
  type: 'histogram',
  labels: ['route'],
  help: 'How long it took.',
  buckets: [0.005, 0.1, 1],
} as const

function linesOf(registry: Registry, name: string): string[] {
  const { text } = registry.expose()
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
}

describe('the text format', () => {
  it('has help and type of each metric, one line per series, and an empty line in between', () => {
    const registry = new Registry()
    registry.counter(requests).inc('read', 'acme')
    registry.gauge(open).set(-2)
    expect(registry.expose()).toEqual({
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      text: [
        '# HELP requests Requests.',
        '# TYPE requests counter',
        'requests{route="read",tenant="acme"} 1',
        '',
        '# HELP open Open "streams"\\nby \\\\.',
        '# TYPE open gauge',
        'open -2',
        '',
      ].join('\n'),
    })
  })

  it('has a metric without labels from the start, and one with labels when it is counted', () => {
    const registry = new Registry()
    registry.gauge(open)
    registry.counter(requests)
    expect(linesOf(registry, 'open')).toEqual(['open 0'])
    expect(linesOf(registry, 'requests')).toEqual([])
  })

  it('counts in each bucket what is in the smaller ones too', () => {
    const registry = new Registry()
    const histogram = registry.histogram(duration)
    for (const [route, seconds] of [
      ['create', 0.005],
      ['create', 0.0051],
      ['read "quoted"\\', 0],
      ['create', 1],
      ['create', 300],
    ] as const)
      histogram.observe(seconds, route)
    expect(registry.expose().text.split('\n').slice(2, -1)).toEqual([
      'duration_seconds_bucket{le="0.005",route="create"} 1',
      'duration_seconds_bucket{le="0.1",route="create"} 2',
      'duration_seconds_bucket{le="1",route="create"} 3',
      'duration_seconds_bucket{le="+Inf",route="create"} 4',
      'duration_seconds_sum{route="create"} 301.0101',
      'duration_seconds_count{route="create"} 4',
      'duration_seconds_bucket{le="0.005",route="read \\"quoted\\"\\\\"} 1',
      'duration_seconds_bucket{le="0.1",route="read \\"quoted\\"\\\\"} 1',
      'duration_seconds_bucket{le="1",route="read \\"quoted\\"\\\\"} 1',
      'duration_seconds_bucket{le="+Inf",route="read \\"quoted\\"\\\\"} 1',
      'duration_seconds_sum{route="read \\"quoted\\"\\\\"} 0',
      'duration_seconds_count{route="read \\"quoted\\"\\\\"} 1',
    ])
  })

  test.each([
    [0.1 + 0.2, '0.30000000000000004'],
    [1e21, '1e+21'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
  ])('writes %s as %s', (value, written) => {
    const registry = new Registry()
    registry.gauge(open).set(value)
    expect(linesOf(registry, 'open')).toEqual([`open ${written}`])
  })

  it('keeps any two combinations of label values apart, each on one line that can be read back', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\\', 'n', '"', '\n', ',', ':', '1', '{', '}') })
    const labels = fc.uniqueArray(fc.tuple(text, text), { selector: (pair) => JSON.stringify(pair) })
    fc.assert(
      fc.property(labels, (all) => {
        const registry = new Registry()
        const counter = registry.counter(requests)
        for (const pair of all) counter.inc(...pair)
        const value = '((?:[^"\\\\]|\\\\.)*)'
        const line = new RegExp(`^requests\\{route="${value}",tenant="${value}"\\} 1$`)
        const read = linesOf(registry, 'requests').map((written) => {
          const [, route = '?', tenant = '?'] = line.exec(written) ?? []
          return [route, tenant].map(unescaped)
        })
        expect(read).toEqual(all)
      }),
      { seed: 1 },
    )
  })
})

function unescaped(value: string): string {
  return value.replace(/\\(.)/g, (_match, character) => (character === 'n' ? '\n' : character))
}

test('two metrics of one name are refused', () => {
  const registry = new Registry()
  registry.counter(requests)
  expect(() => registry.counter(requests)).toThrow('two metrics are called requests')
})

test('a gauge that is reset has none of its series, and one without labels is 0', () => {
  const registry = new Registry()
  const [labelled, plain] = [registry.gauge({ ...requests, type: 'gauge' }), registry.gauge(open)]
  labelled.add(2, 'read', 'acme')
  labelled.add(-1, 'read', 'acme')
  plain.set(3)
  expect(linesOf(registry, 'requests')).toEqual(['requests{route="read",tenant="acme"} 1'])
  labelled.reset()
  plain.reset()
  expect(linesOf(registry, 'requests')).toEqual([])
  expect(linesOf(registry, 'open')).toEqual(['open 0'])
})

describe('the values of several processes', () => {
  const gauge = (together: NonNullable<MetricDescription['together']>) =>
    ({ name: `g_${together}`, type: 'gauge', labels: [], help: 'G.', together }) as const

  function processWith(value: number) {
    const registry = new Registry()
    for (const together of ['sum', 'first', 'max', 'min'] as const) registry.gauge(gauge(together)).set(value)
    registry.counter(requests).add(value * 10, 'read', 'acme')
    registry.histogram(duration).observe(value, 'read')
    return registry
  }

  /** Sent as JSON, as between processes. */
  function merged(...registries: Registry[]): Registry {
    const all = new Registry()
    for (const registry of registries) all.merge(JSON.parse(JSON.stringify(registry.values())))
    return all
  }

  it('are those of the process when there is one', () => {
    expect(merged(processWith(1)).expose()).toEqual(processWith(1).expose())
  })

  it('combine as each metric says', () => {
    const { text } = merged(processWith(-3), processWith(-2), processWith(-5)).expose()
    expect(text.split('\n').filter((line) => line.startsWith('g_'))).toEqual([
      'g_sum -10',
      'g_first -3',
      'g_max -2',
      'g_min -5',
    ])
  })

  it('add up series and buckets, and keep series that only one of them has', () => {
    const other = processWith(0.01)
    other.merge([{ ...requests, series: [{ labels: ['read', 'globex'], value: 1 }] }])
    const all = merged(processWith(2), other)
    expect(linesOf(all, 'requests')).toEqual([
      'requests{route="read",tenant="acme"} 20.1',
      'requests{route="read",tenant="globex"} 1',
    ])
    expect(linesOf(all, 'duration_seconds_bucket')).toEqual([
      'duration_seconds_bucket{le="0.005",route="read"} 0',
      'duration_seconds_bucket{le="0.1",route="read"} 1',
      'duration_seconds_bucket{le="1",route="read"} 1',
      'duration_seconds_bucket{le="+Inf",route="read"} 2',
    ])
    expect(linesOf(all, 'duration_seconds_sum')).toEqual(['duration_seconds_sum{route="read"} 2.01'])
  })

  it('stay as they were read while counting and merging go on', () => {
    const registry = processWith(1)
    const values = registry.values()
    const before = JSON.stringify(values)
    const all = new Registry()
    all.merge(values)
    all.merge(values)
    registry.merge(values)
    expect(JSON.stringify(values)).toBe(before)
  })
})
