import { describe, expect, test } from 'vitest'
import { plainView, sourceSpan, type TextView, ViewBuilder } from './text-view.ts'

/** The part of the source that each code unit of a view stands for. */
function partsOf(view: TextView, source: string): string[] {
  return Array.from({ length: view.text.length }, (_, start) => {
    const span = sourceSpan(view, { start, end: start + 1 })
    return source.slice(span.start, span.end)
  })
}

describe.each([
  ['a short text', ''],
  ['a long text', 'x'.repeat(2000)],
])('%s', (_title, before) => {
  const source = `${before}abcdef`
  const begun = (view = plainView(source)) => {
    const builder = new ViewBuilder(view)
    for (let i = 0; i < before.length; i++) builder.addUnit(before.charCodeAt(i), i, i + 1)
    return builder
  }
  const at = (offset: number) => before.length + offset
  const unit = (letter: string) => letter.charCodeAt(0)

  test('units that stay in their place need no spans', () => {
    const builder = begun()
    builder.addUnit(unit('A'), at(0), at(1))
    builder.add('B', { start: at(1), end: at(2) })
    expect(builder.build()).toEqual({ text: `${before}AB`, origin: undefined })
  })

  test('units in their place keep the spans of the view below', () => {
    const below = begun()
    below.addUnit(unit('X'), at(0), at(3))
    below.addUnit(unit('d'), at(3), at(4))
    const view = below.build()
    const above = begun(view)
    above.addUnit(unit('x'), at(0), at(1))
    above.addUnit(unit('D'), at(1), at(2))
    const built = above.build()
    expect(built.text).toBe(`${before}xD`)
    expect(built.origin).toBe(view.origin)
    expect(partsOf(built, source).slice(-2)).toEqual(['abc', 'd'])
  })

  test('one unit for several moves all that follow', () => {
    const builder = begun()
    builder.addUnit(unit('A'), at(0), at(1))
    builder.addUnit(unit('X'), at(1), at(3))
    builder.addUnit(unit('d'), at(3), at(4))
    const built = builder.build()
    expect(built.text).toBe(`${before}AXd`)
    expect(partsOf(built, source).slice(-3)).toEqual(['a', 'bc', 'd'])
  })

  test('several units for one have the same span each, and may be more than the source has', () => {
    const builder = begun()
    for (let i = 0; i < 6; i++) builder.add('123', { start: at(i), end: at(i + 1) })
    const built = builder.build()
    expect(built.text).toBe(`${before}${'123'.repeat(6)}`)
    expect(partsOf(built, source).slice(-18)).toEqual([...'aaabbbcccdddeeefff'])
    expect(partsOf(built, source).slice(0, 3)).toEqual(before === '' ? ['a', 'a', 'a'] : ['x', 'x', 'x'])
  })

  test('the last addition can be stretched', () => {
    const builder = begun()
    builder.addUnit(unit('A'), at(0), at(1))
    builder.stretchLast(at(3))
    builder.addUnit(unit('d'), at(3), at(4))
    expect(partsOf(builder.build(), source).slice(-2)).toEqual(['abc', 'd'])
  })

  test('the last addition can be replaced', () => {
    const builder = begun()
    builder.addUnit(unit('A'), at(0), at(1))
    builder.addUnit(unit('B'), at(1), at(2))
    builder.amendLast('YZ', at(4))
    const built = builder.build()
    expect(built.text).toBe(`${before}AYZ`)
    expect(partsOf(built, source).slice(-3)).toEqual(['a', 'bcd', 'bcd'])
  })

  test('spans of a view of a view are those of the source', () => {
    const below = begun()
    below.addUnit(unit('X'), at(0), at(2))
    below.addUnit(unit('c'), at(2), at(3))
    below.addUnit(unit('d'), at(3), at(4))
    const above = begun(below.build())
    above.addUnit(unit('x'), at(0), at(1))
    above.addUnit(unit('Y'), at(1), at(3))
    expect(partsOf(above.build(), source).slice(-2)).toEqual(['ab', 'cd'])
  })
})
