import { expect, it } from 'vitest'
import type { TextRedactor } from './redact-text.ts'
import { sanitizeBody } from './sanitize-body.ts'

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
  })
})

it('refuses bytes that are no UTF-8', () => {
  expect(sanitizeBody(Buffer.from([0x22, 0xff, 0x22]), 'text', redact)).toEqual({
    type: 'refused',
    field: 'body',
    message: 'The body must be UTF-8.',
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
