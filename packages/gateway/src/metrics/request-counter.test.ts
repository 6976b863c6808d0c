import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createRequestCounter } from './request-counter.ts'
import { createTenantCap } from './tenant-cap.ts'

function createCounter() {
  const registry = new Registry()
  const { count } = createRequestCounter(
    {
      name: 'requests',
      help: 'Requests.',
      labelNames: ['route', 'outcome', 'tenant_id'],
      registers: [registry],
    },
    createTenantCap()(),
  )
  const lines = async () =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('requests{'))
  return { count, lines }
}

it('counts each combination for itself, from one scrape to the next', async () => {
  const { count, lines } = createCounter()
  count('read', 'ok', 'acme')
  count('read', 'ok', 'acme')
  count('read', 'ok', '')
  count('read', 'invalid', 'acme')
  expect(await lines()).toEqual([
    'requests{route="read",outcome="ok",tenant_id="acme"} 2',
    'requests{route="read",outcome="ok",tenant_id=""} 1',
    'requests{route="read",outcome="invalid",tenant_id="acme"} 1',
  ])
  count('read', 'ok', 'acme')
  expect((await lines())[0]).toBe('requests{route="read",outcome="ok",tenant_id="acme"} 3')
  expect((await lines())[0]).toBe('requests{route="read",outcome="ok",tenant_id="acme"} 3')
})

it('loses none of those beyond the bound, and one that is called other', async () => {
  const { count, lines } = createCounter()
  for (let tenant = 0; tenant < 1200; tenant += 1) count('read', 'ok', `tenant-${tenant}`)
  count('read', 'ok', 'other')
  const series = await lines()
  expect(series).toHaveLength(1001)
  expect(series).toContain('requests{route="read",outcome="ok",tenant_id="other"} 201')
})

it('keeps a tenant with a line end in its name apart from others', async () => {
  const { count, lines } = createCounter()
  count('read', 'ok', 'a\nb')
  count('read', 'ok', 'a')
  expect(await lines()).toHaveLength(2)
})
