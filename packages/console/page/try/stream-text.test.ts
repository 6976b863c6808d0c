import { expect, test } from 'vitest'
import { wordsOf } from './stream-text.ts'

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
  expect(wordsOf(data)).toBe(words)
})
