import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainDecimal, rewriteJson } from './rewrite-json.ts'

const seed = Number(process.env['SEED'])
const keep = (text: string) => text
const upper = (text: string) => text.toUpperCase()

test(`a treatment that keeps everything gives back the same bytes (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 1, 2), (json, space) => {
      const source = JSON.stringify(JSON.parse(json), null, space)
      expect(rewriteJson(source, { value: keep, text: keep })).toBe(source)
    }),
    { seed, numRuns: 2000 },
  )
})

test(`a treatment sees every string, key and number, and its results are where they belong (seed ${seed})`, () => {
  const key = fc.stringMatching(/^[a-z]{1,6}["\\é\n]?$/)
  const { document } = fc.letrec((tie) => ({
    document: fc.oneof({ maxDepth: 4 }, key, fc.integer(), fc.constant(null), tie('list'), tie('map')),
    list: fc.array(tie('document'), { maxLength: 4 }),
    map: fc.dictionary(key, tie('document'), { maxKeys: 4 }),
  }))
  fc.assert(
    fc.property(document, (value) => {
      const result = rewriteJson(JSON.stringify(value), { value: upper, text: upper })
      expect(JSON.parse(String(result))).toEqual(uppered(value))
    }),
    { seed, numRuns: 2000 },
  )
})

function uppered(value: unknown): unknown {
  if (typeof value === 'string') return value.toUpperCase()
  if (Array.isArray(value)) return value.map(uppered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toUpperCase(), uppered(member)]),
  )
}

test(`what JSON.parse refuses is malformed, and nothing else is (seed ${seed})`, () => {
  const damaged = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '\\', ',', '}', '1', '\u0001', 'e'))
  fc.assert(
    fc.property(damaged, ([json, at, damage]) => {
      const index = at % (json.length + 1)
      const source = json.slice(0, index) + damage + json.slice(index + 1)
      const result = rewriteJson(source, { value: keep, text: keep })
      expect(result).toEqual(isJson(source) ? source : { type: 'malformed' })
    }),
    { seed, numRuns: 3000 },
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('a lone surrogate survives next to a change', () => {
  const source = String.raw`["\ud800","x"]`
  expect(rewriteJson(source, { value: (text) => (text === 'x' ? 'y' : text), text: keep })).toBe(
    String.raw`["\ud800","y"]`,
  )
  expect(rewriteJson(String.raw`["\ud800x"]`, { value: upper, text: keep })).toBe(String.raw`["\ud800X"]`)
})

test('the nearest key announces a value, also through arrays and from above the document', () => {
  const hints: string[] = []
  const note = (text: string, hint: string) => {
    hints.push(hint)
    return text
  }
  rewriteJson('["a",{"k":["b",{"l":"c"},"d"],"m":"e"},"f"]', { value: note, text: keep }, 'top')
  expect(hints).toEqual(['top', 'k', 'l', 'k', 'm', 'top'])
})

test.each([
  ['4.111e3', '4111'],
  ['4.111E+3', '4111'],
  ['4111.0', '4111'],
  ['4111.500', '4111.5'],
  ['41110e-1', '4111'],
  ['-4.1e1', '-41'],
  ['0.4111e4', '4111'],
  ['1e3', '1000'],
  ['0e0', '0'],
  ['0.0', '0'],
])('%s is %s', (source, expected) => {
  expect(plainDecimal(source)).toBe(expected)
})

test.each(['0', '-1', '4111', '3.14', '1e400', '1e99999', '1e-3', '0.5e-7', `${'1'.repeat(50)}.0`])(
  '%s says nothing else',
  (source) => {
    expect(plainDecimal(source)).toBeUndefined()
  },
)
