import { expect, it } from 'vitest'
import { createNestedRedactor } from './redact-nested.ts'
import type { TextRedactor } from './redact-text.ts'

/** Redacts a word, wherever it stands, and remembers what it was asked for. */
function createWatched() {
  const asked: string[] = []
  const redact: TextRedactor = (text) => {
    asked.push(text)
    if (text === 'forbidden') return { type: 'rejected', rule: 'words' }
    return text.replaceAll('secret', '"*"')
  }
  return { asked, redact: createNestedRedactor(redact) }
}

/** A document in a string of a document, so many times. */
function nested(value: unknown, times: number): string {
  let text = JSON.stringify(value)
  for (let count = 1; count < times; count += 1) text = JSON.stringify({ inner: text })
  return text
}

it('treats a document member by member, so that it stays one', () => {
  const { redact, asked } = createWatched()
  const treated = redact('{"a":"secret","b":["secret",1]}', '')
  expect(JSON.parse(String(treated))).toEqual({ a: '"*"', b: ['"*"', 1] })
  expect(asked.slice(0, 5)).toEqual(['a', 'secret', 'b', 'secret', '1'])
})

it('reads documents with white space around them', () => {
  const { redact } = createWatched()
  expect(redact(' \n["secret"] ', '')).toBe(' \n["\\"*\\""] ')
})

it('looks into three levels of documents and takes what is deeper for text', () => {
  for (const depth of [1, 2, 3]) {
    const { redact } = createWatched()
    let text = String(redact(nested({ word: 'secret' }, depth), ''))
    for (let level = 1; level < depth; level += 1) text = JSON.parse(text).inner
    expect(JSON.parse(text)).toEqual({ word: '"*"' })
  }
  const { redact, asked } = createWatched()
  redact(nested({ word: 'secret' }, 4), '')
  expect(asked).not.toContain('word')
  expect(asked).toContain('{"word":"secret"}')
})

it('passes a rejection on, without where in the inner document it happened', () => {
  expect(createWatched().redact('{"deep":["forbidden"]}', '')).toEqual({ type: 'rejected', rule: 'words' })
})

it('treats what only looks like a document, and what is too short to be one, as text', () => {
  const { redact, asked } = createWatched()
  for (const text of ['{"a":secret}', '[secret]', '["ab"]', 'secret', '{"a":"b"']) {
    asked.length = 0
    expect(redact(text, '')).toBe(text.replaceAll('secret', '"*"'))
    expect(asked).toEqual([text])
  }
  asked.length = 0
  redact('["abcd"]', '')
  expect(asked).toEqual(['abcd', '["abcd"]'])
})

it('tries no more documents in one body after a thousand that were none', () => {
  const { redact, asked } = createWatched()
  for (let count = 0; count < 999; count += 1) redact('{"not": one}', '')
  redact('{"a":"first"}', '')
  expect(asked).toContain('first')
  redact('{"not": one}', '')
  redact('{"a":"second"}', '')
  expect(asked).not.toContain('second')
  expect(asked.at(-1)).toBe('{"a":"second"}')
})
