import { describe, expect, it } from 'vitest'
import { isDeeperThan } from './json-depth.ts'

const deeper = (text: string, maxDepth: number) => isDeeperThan(Buffer.from(text), maxDepth)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('isDeeperThan', () => {
  it('counts lists and objects alike', () => {
    expect(deeper(nested(64), 64)).toBe(false)
    expect(deeper(nested(65), 64)).toBe(true)
    expect(deeper('{"a":[{"b":[]}]}', 4)).toBe(false)
    expect(deeper('{"a":[{"b":[]}]}', 3)).toBe(true)
  })

  it('counts what is open, not what there is', () => {
    expect(deeper(`[${Array.from({ length: 1000 }, () => '[]').join()}]`, 2)).toBe(false)
  })

  it('does not look into texts, whatever they escape', () => {
    expect(deeper('["[[[[", "\\"[[[[", "\\\\", "]"]', 1)).toBe(false)
    expect(deeper('["\\\\", [[]]]', 2)).toBe(true)
    expect(deeper('"[[[["', 0)).toBe(false)
    expect(deeper('"unterminated [[[', 0)).toBe(false)
    expect(deeper('"\\', 0)).toBe(false)
  })

  it('takes what is no JSON', () => {
    expect(deeper('', 0)).toBe(false)
    expect(deeper(']]]][', 1)).toBe(false)
    expect(deeper('['.repeat(1_000_000), 64)).toBe(true)
  })
})
