import { expect, it } from 'vitest'
import { Registry } from './registry.ts'
import { createTenantCap } from './tenant-cap.ts'

const description = {
  name: 'requests',
  type: 'counter',
  labels: ['route', 'outcome', 'tenant_id'],
  help: 'Requests.',
} as const

function createCounter() {
  const registry = new Registry(createTenantCap())
  const counter = registry.counter(description)
  const lines = () =>
    registry
      .expose()
      .text.split('\n')
      .filter((line) => line.startsWith('requests{'))
  const count = (route: string, outcome: string, tenant: string) => counter.inc(route, outcome, tenant)
  return { count, lines }
}

it('counts each combination for itself, from one scrape to the next', () => {
  const { count, lines } = createCounter()
  count('read', 'ok', 'acme')
  count('read', 'ok', 'acme')
  count('read', 'ok', '')
  count('read', 'invalid', 'acme')
  expect(lines()).toEqual([
    'requests{route="read",outcome="ok",tenant_id="acme"} 2',
    'requests{route="read",outcome="ok",tenant_id=""} 1',
    'requests{route="read",outcome="invalid",tenant_id="acme"} 1',
  ])
  count('read', 'ok', 'acme')
  expect(lines()[0]).toBe('requests{route="read",outcome="ok",tenant_id="acme"} 3')
  expect(lines()[0]).toBe('requests{route="read",outcome="ok",tenant_id="acme"} 3')
})

it('counts tenants beyond the cap as other, together with a tenant of that name', () => {
  const { count, lines } = createCounter()
  for (let tenant = 0; tenant < 1200; tenant += 1) count('read', 'ok', `tenant-${tenant}`)
  count('read', 'ok', 'other')
  const series = lines()
  expect(series).toHaveLength(1001)
  expect(series).toContain('requests{route="read",outcome="ok",tenant_id="other"} 201')
})

it('names tenants in 1,500 series of a metric, and goes on with those', () => {
  const { count, lines } = createCounter()
  for (let round = 0; round < 2; round += 1)
    for (let tenant = 0; tenant < 800; tenant += 1)
      for (const outcome of ['ok', 'invalid']) count('read', outcome, `tenant-${tenant}`)
  expect(lines()).toHaveLength(1502)
  expect(lines()).toContain('requests{route="read",outcome="ok",tenant_id="tenant-749"} 2')
  expect(lines()).toContain('requests{route="read",outcome="invalid",tenant_id="other"} 100')
})

it('keeps a tenant with a line end in its name apart from others', () => {
  const { count, lines } = createCounter()
  count('read', 'ok', 'a\nb')
  count('read', 'ok', 'a')
  expect(lines()).toHaveLength(2)
})
