import { expect, test } from 'vitest'
import { createSpanIds } from './accept-request.ts'

test('span ids are 16 hexadecimal digits, and no two are the same', () => {
  const nextSpanId = createSpanIds()
  const ids = Array.from({ length: 10_000 }, nextSpanId)
  expect(ids.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true)
  expect(new Set(ids).size).toBe(10_000)
})

test('two processes make different ones', () => {
  expect(createSpanIds()().slice(0, 8)).not.toBe(createSpanIds()().slice(0, 8))
})

test('the counting half starts over after its last number, and the id that means none is never made', () => {
  const nextSpanId = createSpanIds(Buffer.from('00000000fffffffe', 'hex'))
  expect([nextSpanId(), nextSpanId(), nextSpanId()]).toEqual([
    '00000001ffffffff',
    '0000000100000000',
    '0000000100000001',
  ])
})
