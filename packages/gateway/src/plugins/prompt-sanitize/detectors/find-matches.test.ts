import { describe, expect, it, test } from 'vitest'
import { NO_SPANS } from '../text-view.ts'
import { announcedValue, findAnnounced, findMatches } from './find-matches.ts'

describe('findMatches', () => {
  it('gives the place of each match', () => {
    expect(findMatches(/ab/g, 'ab ab')).toEqual([
      { start: 0, end: 2 },
      { start: 3, end: 5 },
    ])
  })

  it('makes no list where there is nothing', () => {
    expect(findMatches(/ab/g, 'nothing')).toBe(NO_SPANS)
  })

  it('finds the same again, whatever an earlier search left behind', () => {
    const pattern = /ab/g
    pattern.lastIndex = 1
    expect(findMatches(pattern, 'ab')).toEqual([{ start: 0, end: 2 }])
    expect(findMatches(pattern, 'ab')).toEqual([{ start: 0, end: 2 }])
  })

  it('goes on behind what was found, or where it is told to', () => {
    const beyond = findMatches(/a/g, 'aaaaa', ({ index }) => ({ start: index, end: index + 2 }))
    expect(beyond.map(({ start }) => start)).toEqual([0, 2, 4])
    const skipping = (index: number) => (index === 0 ? 3 : { start: index, end: index + 1 })
    expect(findMatches(/a/g, 'aaaaa', ({ index }) => skipping(index)).map(({ start }) => start)).toEqual([
      3, 4,
    ])
  })

  it('goes on by one character at least, whatever it is told', () => {
    const seen: number[] = []
    findMatches(/a/g, 'aaa', ({ index }) => {
      seen.push(index)
      return 0
    })
    expect(seen).toEqual([0, 1, 2])
  })
})

test('the value that a match announces is its last part', () => {
  const match = /key: (\w+)/.exec('a key: secret') as RegExpExecArray
  expect(announcedValue(match)).toEqual({ start: 7, end: 13 })
  const without = /key: (\w+)?/.exec('a key: ') as RegExpExecArray
  expect(announcedValue(without)).toEqual({ start: 7, end: 7 })
})

describe('findAnnounced', () => {
  /** Finds digits after the word `phone`, and records the searched texts. */
  function announcement() {
    const searched: string[] = []
    const find = (text: string) => {
      searched.push(text)
      return findMatches(/(?<=phone: )[0-9]+|[0-9]{9}|(?<=home )phone/gi, text)
    }
    return { searched, inKey: /phone/i, find }
  }

  it('reads the key in words before the text, and gives places in the text', () => {
    const announced = announcement()
    expect(findAnnounced('55501', 'homePhone', announced)).toEqual([{ start: 0, end: 5 }])
    expect(announced.searched).toEqual(['home Phone: 55501'])
    expect(findAnnounced('55501', 'the_old--phone', announced)).toEqual([{ start: 0, end: 5 }])
    expect(announced.searched[1]).toBe('the old phone: 55501')
  })

  it.each([
    ['no key', ''],
    ['a key that announces nothing', 'name'],
  ])('reads the text alone with %s', (_case, hint) => {
    const announced = announcement()
    expect(findAnnounced('x 123456789', hint, announced)).toEqual([{ start: 2, end: 11 }])
    expect(announced.searched).toEqual(['x 123456789'])
  })

  it('reads the text alone with no key, though the announcement would take any', () => {
    const { searched, find } = announcement()
    findAnnounced('1', '', { inKey: /^/, find })
    expect(searched).toEqual(['1'])
  })

  it('reads a long text alone', () => {
    const announced = announcement()
    findAnnounced('1'.repeat(512), 'phone', announced)
    findAnnounced('1'.repeat(513), 'phone', announced)
    expect(announced.searched.map((text) => text.length)).toEqual(['phone: '.length + 512, 513])
  })

  it('reads the end of a long key', () => {
    const announced = announcement()
    findAnnounced('1', `phone${'x'.repeat(124)}`, announced)
    findAnnounced('1', `y${'x'.repeat(123)}phone`, announced)
    expect(announced.searched).toEqual(['1', `${'x'.repeat(123)}phone: 1`])
  })

  it('leaves out what it found in the key', () => {
    expect(findAnnounced('55501', 'home-phone', announcement())).toEqual([{ start: 0, end: 5 }])
  })
})
