import { expect, it } from 'vitest'
import { UuidSource } from './uuid-source.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

it('makes UUIDs of version 4, all of them different, beyond the first pool of random bytes', () => {
  const source = new UuidSource()
  const made = Array.from({ length: 2000 }, () => source.next())
  expect(made.filter((uuid) => !UUID.test(uuid))).toEqual([])
  expect(new Set(made).size).toBe(2000)
})

it('uses every random bit', () => {
  const source = new UuidSource()
  const seen = Array.from({ length: 36 }, () => new Set<string>())
  for (let count = 0; count < 2000; count += 1)
    for (const [at, digit] of [...source.next()].entries()) seen[at]?.add(digit)
  const counts = seen.map((digits) => digits.size)
  const expected = Array.from('xxxxxxxx-xxxx-4xxx-vxxx-xxxxxxxxxxxx', (kind) =>
    kind === 'x' ? 16 : kind === 'v' ? 4 : 1,
  )
  expect(counts).toEqual(expected)
})

it('shares nothing between two sources', () => {
  expect(new UuidSource().next()).not.toBe(new UuidSource().next())
})
