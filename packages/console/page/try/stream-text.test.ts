import { expect, test } from 'vitest'
import { createStreamText, wordsOf } from './stream-text.ts'

test.each([
  ['{"choices":[{"text":" Each"}]}', ' Each'],
  ['{"choices":[{"delta":{"content":"Hi"}}]}', 'Hi'],
  ['{"choices":[{"delta":{}}]}', ''],
  ['[DONE]', ''],
  ['{"text":"Once "}', 'Once '],
  ['{"text":1}', '{"text":1}\n'],
  ['{"text":"Once","n":1}', '{"text":"Once","n":1}\n'],
  ['plain words', 'plain words\n'],
  ['{"other":1}', '{"other":1}\n'],
  ['{"choices":[]}', '{"choices":[]}\n'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>\n'],
])('%j says %j', (data, words) => {
  expect(wordsOf({ event: 'message', data })).toBe(words)
})

test('an event with a name is a line with its name', () => {
  expect(wordsOf({ event: 'step', data: '{"step":1}' })).toBe('step: {"step":1}\n')
})

test('all events are counted, and the end of their text is kept', () => {
  const stream = createStreamText(10)
  expect(stream.shown()).toEqual({ count: 0, text: '', isCut: false })
  for (const data of ['one', 'two']) stream.add({ event: 'message', data, id: '' })
  expect(stream.shown()).toEqual({ count: 2, text: 'one\ntwo\n', isCut: false })
  stream.add({ event: 'message', data: 'three', id: '' })
  expect(stream.shown()).toEqual({ count: 3, text: 'two\nthree\n', isCut: true })
  stream.add({ event: 'message', data: 'x'.repeat(1_000_000), id: '' })
  expect(stream.shown()).toEqual({ count: 4, text: `${'x'.repeat(9)}\n`, isCut: true })
})
