import { describe, expect, it } from 'vitest'
import { answerType } from './check-response.ts'

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
