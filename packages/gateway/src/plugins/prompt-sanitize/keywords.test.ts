import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createKeywordMatcher, createKeywordReaders, createKeywordSearch } from './keywords.ts'
import { plainView } from './text-view.ts'

test.each([
  [['a'], 'bab', [[1, 2]]],
  [['abc', 'b'], 'xabcx', [[1, 4]]],
  [['he', 'she', 'hers'], 'ushers', [[1, 6]]],
  [['ab'], 'ababab', [[0, 6]]],
  [
    ['ab'],
    'ab ab',
    [
      [0, 2],
      [3, 5],
    ],
  ],
  [['aaab'], 'aaaaaab', [[3, 7]]],
  [['b', 'abc'], 'ab', [[1, 2]]],
  [['x'], '', []],
])('%j in %j', (keywords, text, expected) => {
  const spans = createKeywordMatcher(keywords)(text)
  expect(spans.map(({ start, end }) => [start, end])).toEqual(expected)
})

const seed = Number(process.env['SEED'])

test(`it covers exactly what a search for each keyword covers (seed ${seed})`, () => {
  const word = fc.stringMatching(/^[abc]{1,4}$/)
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 6 }),
      fc.stringMatching(/^[abc ]{0,40}$/),
      (keywords, text) => {
        expect(covered(createKeywordMatcher(keywords)(text), text)).toBe(
          covered(searchEach(keywords, text), text),
        )
      },
    ),
    { seed, numRuns: 3000 },
  )
})

function searchEach(keywords: readonly string[], text: string) {
  return keywords.flatMap((keyword) =>
    Array.from(text, (_, start) => ({ start, end: start + keyword.length })).filter(({ start }) =>
      text.startsWith(keyword, start),
    ),
  )
}

function covered(spans: readonly { start: number; end: number }[], text: string): string {
  return Array.from(text, (_, index) =>
    spans.some(({ start, end }) => start <= index && index < end) ? '#' : '.',
  ).join('')
}

describe('letters that look like Latin ones', () => {
  const readers = createKeywordReaders()
  const found = (keywords: readonly string[], text: string) =>
    createKeywordSearch(keywords, readers)?.(plainView(text)).map(({ start, end }) => text.slice(start, end))

  test.each([
    // Small and capital letters of Cyrillic and Greek, by the Latin letter.
    ...Object.entries({
      a: 'аАαΑ',
      b: 'вВьЬβΒ',
      c: 'сС',
      d: 'ԁԀ',
      e: 'еЕҽҼεΕ',
      g: 'ԍԌ',
      h: 'нНһҺΗ',
      i: 'іІӀιΙ',
      j: 'јЈϳ',
      k: 'кКκΚ',
      l: 'ӏ',
      m: 'мМΜ',
      n: 'пηΝ',
      o: 'оОοΟσ',
      p: 'рРρΡ',
      q: 'ԛԚ',
      r: 'г',
      s: 'ѕЅ',
      t: 'тТτΤ',
      u: 'иυμ',
      v: 'ѵѴν',
      w: 'ԝԜω',
      x: 'хХχΧ',
      y: 'уУүҮγΥ',
      z: 'Ζ',
    }),
  ])('a %s is found in %s', (latin, letters) => {
    for (const letter of letters) {
      expect(found([`<${latin}>`], `x <${letter}> x`)).toEqual([`<${letter}>`])
      expect(found([`<${letter}>`], `ж <${latin.toUpperCase()}> ${letter}`)).toEqual([
        `<${latin.toUpperCase()}>`,
      ])
    }
  })

  test('a Latin text has no keyword of another alphabet', () => {
    expect(found(['сор'], 'a cop')).toEqual([])
    expect(found(['нет', 'ΝΗ'], 'het NH vn')).toEqual([])
  })

  test('letters that look like no Latin one are only themselves', () => {
    expect(found(['жди'], 'ЖДИ aждиa')).toEqual(['ЖДИ', 'жди', 'ЖДИ', 'жди'])
    expect(found(['d', 'f', 'ж'], 'дΔфю')).toEqual([])
  })

  test('blanks and places hold', () => {
    expect(found(['new cat'], 'a nеw \n  сat.')).toEqual(['nеw \n  сat'])
  })

  test.each(['', ' ', '\n'])('a keyword of nothing visible is refused: %j', (keyword) => {
    expect(createKeywordSearch(['a', keyword], readers)).toBeUndefined()
  })
})
