import { describe, expect, it } from 'vitest'
import type { CompiledRule } from './compile-rules.ts'
import { createPlaceholderFinder, type Match, matchesOutside, mergeMatches } from './redact-text.ts'
import { NO_SPANS, type Span } from './text-view.ts'

const rule = (name: string, order: number): CompiledRule => ({
  name,
  order,
  action: 'redact',
  placeholder: `[${name}]`,
  minLength: 1,
  find: () => [],
})
const [first, second] = [rule('first', 0), rule('second', 1)]

const at = (start: number, end: number, by = first): Match => ({ start, end, rule: by })
const spans = (...pairs: readonly [number, number][]): Span[] => pairs.map(([start, end]) => ({ start, end }))
const shown = (matches: readonly Match[]) =>
  matches.map(({ start, end, rule: { name } }) => [start, end, name])

describe('matches outside of placeholders', () => {
  it('come in the order of the text, the shorter first where two begin at one place', () => {
    const given = [at(7, 9), at(2, 6, second), at(2, 4), at(0, 1)]
    const ordered = [
      [0, 1, 'first'],
      [2, 4, 'first'],
      [2, 6, 'second'],
      [7, 9, 'first'],
    ]
    expect(shown(matchesOutside(given, []))).toEqual(ordered)
    expect(shown(matchesOutside(given, spans([20, 30])))).toEqual(ordered)
  })

  it('are left as they are where they are in order already', () => {
    const given = [at(0, 3), at(0, 2), at(5, 6)]
    expect(matchesOutside(given, [])).toBe(given)
  })

  it.each([
    ['lies in one', at(12, 18), false],
    ['is one', at(10, 20), false],
    ['begins before one', at(9, 18), true],
    ['ends behind one', at(12, 21), true],
    ['ends where one begins', at(5, 10), true],
    ['begins where one ends', at(20, 25), true],
    ['lies in two that overlap', at(12, 24), true],
  ] as const)('one that %s', (_, match, isKept) => {
    expect(matchesOutside([match], spans([10, 20]))).toEqual(isKept ? [match] : [])
  })

  it('know placeholders that touch or overlap as one, also where the second ends within the first', () => {
    const covered = spans([10, 20], [20, 25], [22, 24], [40, 50])
    expect(matchesOutside([at(12, 25), at(21, 26), at(41, 45), at(60, 61)], covered)).toEqual([
      at(21, 26),
      at(60, 61),
    ])
  })
})

describe('regions', () => {
  it('are one where matches overlap or touch, and two where a character lies between', () => {
    expect(shown(mergeMatches([at(0, 3), at(2, 5), at(5, 7), at(8, 9)], []))).toEqual([
      [0, 7, 'first'],
      [8, 9, 'first'],
    ])
  })

  it('reach to the end of the longest, also where a later one is shorter', () => {
    expect(shown(mergeMatches([at(0, 9), at(2, 5)], []))).toEqual([[0, 9, 'first']])
  })

  it('are named by the longest match, and by the order of the rules where two are as long', () => {
    expect(shown(mergeMatches([at(0, 3), at(1, 6, second)], []))).toEqual([[0, 6, 'second']])
    expect(shown(mergeMatches([at(0, 5, second), at(2, 4)], []))).toEqual([[0, 5, 'second']])
    expect(shown(mergeMatches([at(10, 14, second), at(12, 16)], []))).toEqual([[10, 16, 'first']])
    expect(shown(mergeMatches([at(10, 14), at(12, 16, second)], []))).toEqual([[10, 16, 'first']])
  })

  it('take in a placeholder that they cut, on either side, and every one behind it that this reaches', () => {
    expect(shown(mergeMatches([at(8, 12)], spans([10, 20])))).toEqual([[8, 20, 'first']])
    expect(shown(mergeMatches([at(15, 25)], spans([10, 20])))).toEqual([[10, 25, 'first']])
    expect(shown(mergeMatches([at(8, 12)], spans([10, 20], [19, 30], [30, 40])))).toEqual([[8, 30, 'first']])
  })

  it('leave alone what they only touch, and what comes before them', () => {
    expect(shown(mergeMatches([at(5, 10), at(20, 25)], spans([0, 3], [10, 20])))).toEqual([
      [5, 10, 'first'],
      [20, 25, 'first'],
    ])
  })

  it('find each its own placeholder', () => {
    expect(shown(mergeMatches([at(2, 4), at(31, 36)], spans([3, 10], [12, 20], [30, 35])))).toEqual([
      [2, 10, 'first'],
      [30, 36, 'first'],
    ])
  })
})

describe('a finder of placeholders', () => {
  it('finds every one, as it is written and nowhere else', () => {
    const find = createPlaceholderFinder(['[REDACTED:email]', 'a.c', 'a.c'])
    expect(find('[REDACTED:email] abc a.c[REDACTED:email]')).toEqual([
      { start: 0, end: 16 },
      { start: 21, end: 24 },
      { start: 24, end: 40 },
    ])
  })

  it('finds one at the very beginning, and says so of a text without any at no cost', () => {
    const find = createPlaceholderFinder(['x'])
    expect(find('x')).toEqual([{ start: 0, end: 1 }])
    expect(find('yyy')).toBe(NO_SPANS)
  })

  it('finds the longest of those that begin alike, in whatever order they are given', () => {
    for (const given of [
      ['[X]', '[X][Y]'],
      ['[X][Y]', '[X]'],
    ])
      expect(createPlaceholderFinder(given)('a[X][Y]')).toEqual([{ start: 1, end: 7 }])
  })

  it('finds nothing for a replacement by nothing', () => {
    expect(createPlaceholderFinder([''])('text')).toBe(NO_SPANS)
    expect(createPlaceholderFinder(['', 'ex'])('text')).toEqual([{ start: 1, end: 3 }])
    expect(createPlaceholderFinder([])('text')).toBe(NO_SPANS)
  })
})
