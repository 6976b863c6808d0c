import { expect, test } from 'vitest'
import { TenantCounts } from './tenant-counts.ts'

test('counts of tenants do not mix', () => {
  const counts = new TenantCounts()
  counts.add('acme', 1)
  counts.add('acme', 1)
  counts.add('globex', 5)
  counts.add('acme', -1)
  expect([counts.of('acme'), counts.of('globex'), counts.of('nobody')]).toEqual([1, 5, 0])
})

test('many tenants with nothing take no memory, and those with something are kept', () => {
  const counts = new TenantCounts()
  for (let n = 0; n < 700; n += 1) counts.add(`busy-${n}`, 1)
  for (let n = 0; n < 100_000; n += 1) {
    counts.add(`quiet-${n}`, 1)
    counts.add(`quiet-${n}`, -1)
  }
  expect(counts.size).toBeLessThan(2 * 1024)
  expect(counts.of('quiet-99999')).toBe(0)
  for (let n = 0; n < 700; n += 1) expect(counts.of(`busy-${n}`)).toBe(1)
})

test('more tenants with something than the first bound are all counted', () => {
  const counts = new TenantCounts()
  for (let n = 0; n < 5000; n += 1) counts.add(`busy-${n}`, 1)
  expect(counts.size).toBe(5000)
  for (let n = 0; n < 5000; n += 1) counts.add(`busy-${n}`, -1)
  for (let n = 0; n < 5000; n += 1) counts.add(`quiet-${n}`, 0)
  expect(counts.size).toBe(5000)
  for (let n = 0; n < 10_000; n += 1) {
    counts.add(`later-${n}`, 1)
    counts.add(`later-${n}`, -1)
  }
  expect(counts.size).toBeLessThan(1024)
})
