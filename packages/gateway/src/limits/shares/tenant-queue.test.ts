import { expect, it } from 'vitest'
import { TenantQueue } from './tenant-queue.ts'

function filled(items: Readonly<Record<string, readonly string[]>>): TenantQueue<string> {
  const queue = new TenantQueue<string>()
  for (const [tenant, own] of Object.entries(items)) for (const item of own) queue.add(tenant, item)
  return queue
}

const drained = (queue: TenantQueue<string>) => Array.from({ length: queue.size }, () => queue.next())

it('serves the tenants in turn, and each in the order of its items', () => {
  const queue = filled({ acme: ['a1', 'a2', 'a3', 'a4'], globex: ['g1'], initech: ['i1', 'i2'] })
  expect(drained(queue)).toEqual(['a1', 'g1', 'i1', 'a2', 'i2', 'a3', 'a4'])
  expect([queue.size, queue.next()]).toEqual([0, undefined])
})

it('gives a tenant that comes later its turn after those that wait', () => {
  const queue = filled({ acme: ['a1', 'a2', 'a3'] })
  expect(queue.next()).toBe('a1')
  queue.add('globex', 'g1')
  expect(drained(queue)).toEqual(['a2', 'g1', 'a3'])
})

it('leaves out tenants that may have none', () => {
  const queue = filled({ acme: ['a1'], globex: ['g1'] })
  expect(queue.next((tenant) => tenant !== 'acme')).toBe('g1')
  expect(queue.next((tenant) => tenant !== 'acme')).toBeUndefined()
  expect([queue.size, queue.sizeOf('acme'), queue.sizeOf('globex')]).toEqual([1, 1, 0])
})

it('forgets an item that left, once', () => {
  const queue = filled({ acme: ['a1', 'a2'], globex: ['g1'] })
  queue.remove('acme', 'a1')
  queue.remove('acme', 'a1')
  queue.remove('globex', 'g1')
  queue.remove('nobody', 'x')
  expect([queue.size, queue.sizeOf('acme'), queue.sizeOf('globex')]).toEqual([1, 1, 0])
  expect(drained(queue)).toEqual(['a2'])
})
