import { describe, expect, it } from 'vitest'
import { KeptBytes } from './kept-bytes.ts'

describe('kept bytes', () => {
  it('that arrive one by one take few pieces', () => {
    const kept = new KeptBytes()
    const text = Array.from({ length: 100_000 }, (_, index) => String(index % 10)).join('')
    for (const digit of text) kept.add(Buffer.from(digit))
    expect(kept.length).toBe(100_000)
    expect(kept.whole().toString()).toBe(text)
    expect(kept.pieces.map(({ length }) => length)).toEqual([...Array(6).fill(16_384), 1696])
  })

  it.each([1, 3, 700, 8192, 16_383, 16_384, 40_000])('of %i and 5 bytes in turn keep their order', (size) => {
    const kept = new KeptBytes()
    let text = ''
    for (let index = 0; index < 40; index += 1) {
      const piece = String.fromCharCode(65 + index).repeat(index % 2 === 0 ? size : 5)
      text += piece
      kept.add(Buffer.from(piece))
    }
    expect(kept.whole().toString()).toBe(text)
    expect(Buffer.concat(kept.pieces).toString()).toBe(text)
  })

  it('that were taken out do not change when more arrive', () => {
    const kept = new KeptBytes()
    for (const letter of 'abc') kept.add(Buffer.from(letter))
    const taken = kept.shift()
    for (const letter of 'defghi') kept.add(Buffer.from(letter))
    expect(String(taken)).toBe('abc')
    expect(String(kept.whole())).toBe('defghi')
  })

  it('of one piece are not copied', () => {
    const kept = new KeptBytes()
    const only = Buffer.from('only')
    kept.add(only)
    expect(kept.whole()).toBe(only)
  })
})
