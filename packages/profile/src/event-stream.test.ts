import { growth, LINEAR } from '@agentic-rest/testing/cpu-ratio'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEventParser, type StreamEvent, writeEvent } from './event-stream.ts'

function parse(...chunks: readonly string[]): StreamEvent[] {
  const parser = createEventParser(1000)
  return chunks.flatMap((chunk) => parser.push(chunk))
}

const message = (data: string, id = ''): StreamEvent => ({ event: 'message', data, id })

// Examples of the HTML standard, 9.2.6, and edge cases.
const cases: readonly (readonly [string, string, StreamEvent[]])[] = [
  ['one line', 'data: YHOO\n\n', [message('YHOO')]],
  ['several lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10')]],
  [
    'a comment, an id, and no id',
    ': test\n\ndata: first\nid: 1\n\ndata:second\nid\n\ndata:  third\n\n',
    [message('first', '1'), message('second'), message(' third')],
  ],
  ['empty data', 'data\n\ndata\ndata\n\ndata:', [message(''), message('\n')]],
  ['a blank after the colon or none', 'data:test\n\ndata: test\n\n', [message('test'), message('test')]],
  ['a type', 'event: add\ndata: 1\n\ndata: 2\n\n', [{ event: 'add', data: '1', id: '' }, message('2')]],
  ['a type without data', 'event: add\n\ndata: 1\n\n', [message('1')]],
  ['an id that stays', 'id: 7\n\ndata: 1\n\ndata: 2\n\n', [message('1', '7'), message('2', '7')]],
  ['an id with NUL', 'id: 7\nid: a\0b\ndata: 1\n\n', [message('1', '7')]],
  [
    'retry and unknown fields',
    'retry: 10\nretry: x\nfoo: bar\nDATA: no\n data: no\ndata: 1\n\n',
    [message('1')],
  ],
  ['colons in the value', 'data: a: b\n\n', [message('a: b')]],
  ['carriage returns', 'data: 1\r\rdata: 2\r\r', [message('1'), message('2')]],
  ['all line ends', 'data: 1\r\n\ndata: 2\n\r\ndata: 3\r\r\n', [message('1'), message('2'), message('3')]],
  ['an event that is not ended', 'data: 1\n\ndata: 2\n', [message('1')]],
  ['other line separators', 'data: a\u2028b\u0085c\vd\fe\n\n', [message('a\u2028b\u0085c\vd\fe')]],
  ['only comments', ':\n:\n\n:keep\n\n', []],
]

describe('an event stream', () => {
  test.each(cases)('with %s', (_title, text, events) => {
    expect(parse(text)).toEqual(events)
    expect(parse(...text)).toEqual(events)
  })

  test('gives the same events in whatever chunks it comes', () => {
    const seed = Number(process.env['SEED'])
    const piece = fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      'data',
      'id',
      'event',
      ':',
      ' ',
      'x',
      'ä',
      '\0',
      'retry: 1',
    )
    const check = fc.property(fc.array(piece), fc.array(fc.nat(6)), (pieces, sizes) => {
      const text = pieces.join('')
      const chunks: string[] = []
      let at = 0
      for (const size of sizes) {
        chunks.push(text.slice(at, at + size))
        at += size
      }
      expect(parse(...chunks, text.slice(at))).toEqual(parse(text))
    })
    expect(() => fc.assert(check, { seed, numRuns: 2000 }), `seed ${seed}`).not.toThrow()
  })

  test('an event of the longest length is given, a longer one refused', () => {
    // While a line is read, both "data: " and the line count.
    const longest = 'x'.repeat(994)
    expect(parse(`data: ${longest}\n\n`)).toEqual([message(longest)])
    expect(() => parse(`data: ${longest}x\n\n`)).toThrow('an event is longer than 1000 characters')
  })

  test.each([
    ['a line without end', () => 'x'],
    ['a comment without end', (index: number) => (index === 0 ? ':' : 'x')],
    ['data lines without end', () => 'data: x\n'],
    ['an id without end', (index: number) => (index === 0 ? 'id: ' : 'x')],
  ])('%s is refused', (_title, part) => {
    const parser = createEventParser(1000)
    const feed = () => {
      for (let index = 0; index < 1100; index += 1) parser.push(part(index))
    }
    expect(feed).toThrow(new RangeError('an event is longer than 1000 characters'))
  })

  test('small events and comments without end are no large event', () => {
    const parser = createEventParser(1000)
    let events = 0
    for (let index = 0; index < 10_000; index += 1) events += parser.push(': keep alive\ndata: x\n\n').length
    expect(events).toBe(10_000)
  })

  test('characters that come one by one take no more than linear time', async () => {
    const workOf = (size: number) => () => {
      const parser = createEventParser(2 * size)
      for (let index = 0; index < size; index += 1) parser.push('x')
      expect(parser.push('\ndata: done\n\n')).toEqual([message('done')])
    }
    expect(await growth({ workOf, size: 160_000 })).toBeLessThan(LINEAR)
  })
})

test('a written event is read again, in all its lines', () => {
  expect(writeEvent({ event: 'error', data: '{}' })).toBe('event: error\ndata: {}\n\n')
  const text = writeEvent({ event: 'add', data: 'a\n\r\nb\rc' }) + writeEvent({ data: '' })
  expect(parse(text)).toEqual([{ event: 'add', data: 'a\n\nb\nc', id: '' }, message('')])
})

test('writes id and retry, which a reader takes apart again', () => {
  const text = writeEvent({ event: 'step', data: 'a', id: '7', retry: 2000 })
  expect(text).toBe('event: step\nid: 7\nretry: 2000\ndata: a\n\n')
  expect(createEventParser(1000).push(text)).toEqual([{ event: 'step', data: 'a', id: '7' }])
})
