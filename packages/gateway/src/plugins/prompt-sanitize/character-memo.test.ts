import { expect, test } from 'vitest'
import { rememberChanges } from './character-memo.ts'

test('every character is asked for once, whether it changes or not', () => {
  const asked: number[] = []
  const change = rememberChanges((codePoint) => {
    asked.push(codePoint)
    return codePoint === 0x41 ? 'a' : undefined
  })
  const answers = [0x41, 0x42, 0x41, 0x42, 0x10ffff, 0x10ffff, 0].map(change)
  expect(answers).toEqual(['a', undefined, 'a', undefined, undefined, undefined, undefined])
  expect(asked).toEqual([0x41, 0x42, 0x10ffff, 0])
})
