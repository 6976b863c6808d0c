import { describe, expect, it } from 'vitest'
import type { TextRedactor } from './redact-text.ts'
import { createNestedRedactor, sanitizeBody } from './sanitize-body.ts'

const redact: TextRedactor = (text) =>
  text.includes('forbidden') ? { type: 'rejected', rule: 'words' } : text.replaceAll('secret', '*')

const sanitize = (text: string, kind: Parameters<typeof sanitizeBody>[1]) =>
  sanitizeBody(Buffer.from(text), kind, redact)

it('leaves a body without a find as it is, whatever its kind', () => {
  for (const kind of ['json', 'lines', 'form', 'text'] as const)
    expect(sanitize('"a"', kind)).toEqual({ type: 'unchanged' })
})

it('treats each line of a body of lines by itself', () => {
  expect(sanitize('{"a":"secret"}\n\n["secret"]\nsecret', 'lines')).toEqual({
    type: 'changed',
    bytes: Buffer.from('{"a":"*"}\n\n["*"]\n*'),
  })
  expect(sanitize('"a"\n"forbidden"\n"secret"', 'lines')).toEqual({
    type: 'refused',
    field: 'body',
    message: 'The value is not allowed here by the rule "words".',
    rule: 'words',
  })
})

it('refuses bytes that are no UTF-8', () => {
  expect(sanitizeBody(Buffer.from([0x22, 0xff, 0x22]), 'text', redact)).toEqual({
    type: 'refused',
    field: 'body',
    message: 'The body must be UTF-8.',
    cause: 'NOT_UTF8',
  })
})

it('refuses what is no JSON, and JSON that is too deep', () => {
  expect(sanitize('{', 'json')).toMatchObject({ field: 'body', message: 'The body must be valid JSON.' })
  expect(sanitize('['.repeat(65) + ']'.repeat(65), 'json')).toMatchObject({
    field: 'body',
    message: 'The body must not be nested deeper than 64 levels.',
  })
})

it('names the member that was refused, unless its pointer is longer than 1,024 characters', () => {
  const at = (key: string) => sanitize(JSON.stringify({ [key]: 'forbidden' }), 'json')
  expect(at('goal')).toMatchObject({ type: 'refused', field: '/goal' })
  expect(at('k'.repeat(1023))).toMatchObject({ field: `/${'k'.repeat(1023)}` })
  expect(at('k'.repeat(1024))).toMatchObject({ field: 'body' })
  expect(sanitize('"forbidden"', 'json')).toMatchObject({ field: 'body' })
})

describe('a value that may be a document', () => {
  /** Redacts a word, and records the texts it was called with. */
  function createWatched() {
    const asked: string[] = []
    const redact: TextRedactor = (text) => {
      asked.push(text)
      if (text === 'forbidden') return { type: 'rejected', rule: 'words' }
      return text.replaceAll('secret', '"*"')
    }
    return { asked, redact: createNestedRedactor(redact) }
  }

  /** A document nested in strings of documents, `times` deep. */
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
})
