import { describe, expect, it } from 'vitest'
import { answerType, isDeeperThan } from './check-response.ts'

const typeOf = (...values: string[]) => answerType(values.flatMap((value) => ['content-TYPE', value]))
const vendor = 'application/vnd.agentic.error+json'

describe('the media type of an answer', () => {
  it('is the essence of its one header', () => {
    expect(typeOf('Application/JSON; charset="utf-8"')).toBe('application/json')
    expect(typeOf(' text/event-stream ')).toBe('text/event-stream')
    expect(answerType(['X-Other', 'a/b', 'Content-Type', 'c/d'])).toBe('c/d')
  })

  it('is unknown without a header, without a type in it, and with several', () => {
    expect(answerType(['X-Other', 'a/b'])).toBeUndefined()
    expect(typeOf('')).toBeUndefined()
    expect(typeOf('json')).toBeUndefined()
    expect(typeOf('a/b, c/d')).toBeUndefined()
    expect(typeOf('a/b', 'c/d')).toBeUndefined()
  })

  it('may be said twice', () => {
    expect(typeOf('a/b', 'A/B; x=1')).toBe('a/b')
  })

  it('is the typed one of several', () => {
    expect(typeOf('a/b', vendor)).toBe(vendor)
    expect(typeOf(vendor, 'a/b')).toBe(vendor)
    expect(typeOf(`a/b; charset=utf-8, ${vendor}; x=1`)).toBe(vendor)
    expect(typeOf(`a/b; x="\\"", ${vendor}`)).toBe(vendor)
    expect(typeOf(`${vendor} x`)).toBe(`${vendor} x`)
  })

  it('is not read from a parameter', () => {
    expect(typeOf(`a/b; x="1, ${vendor}"`)).toBe('a/b')
    expect(typeOf(`a/b; x="\\", ${vendor}"`)).toBe('a/b')
  })
})

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
