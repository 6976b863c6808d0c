import { expect, test } from 'vitest'
import { runEnd } from './characters.ts'

test('a run ends at the first character that does not belong to it, or with the text', () => {
  const isA = (unit: number) => unit === 0x61
  expect([runEnd('aab', 0, isA), runEnd('xaab', 0, isA), runEnd('xaa', 1, isA)]).toEqual([2, 0, 3])
  const asked: number[] = []
  runEnd('aa', 0, (unit) => asked.push(unit) > 0)
  expect(asked).toEqual([0x61, 0x61])
})
