import { expect, it } from 'vitest'
import { readVia, writeVia } from './via.ts'

it('calls with any character are read as they were written', () => {
  const calls = ['alice called buy', 'a, b called c', 'Zoë 😀 called "x"', '%41 called x']
  expect(readVia(writeVia(calls))).toEqual(calls)
})

it('no calls are no header', () => {
  expect([writeVia([]), readVia(undefined), readVia(' , ,')]).toEqual([undefined, [], []])
})

it('calls that cannot be read or kept are left out', () => {
  expect(readVia(`%zz, ok, a%00b, %ED%A0%80, ${'x'.repeat(513)}`)).toEqual(['ok'])
})

it('of a long chain the last calls stay', () => {
  const calls = Array.from({ length: 40 }, (_, index) => `call ${index}`)
  expect(readVia(calls.join(','))).toEqual(calls.slice(-16))
  expect(readVia(writeVia(calls))).toEqual(calls.slice(-16))
})
