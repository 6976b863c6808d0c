import { describe, expect, test } from 'vitest'
import { createSanitizer, everyDetector, invalidAnswer } from './sanitizing.ts'

const FORM = 'application/x-www-form-urlencoded'

describe('text', () => {
  test.each(['text/plain', 'TEXT/Markdown; charset=UTF-8', 'text/csv;charset="utf-8"', '', 'nonsense'])(
    'a body of type %j is treated as text',
    async (type) => {
      const { answer, forwarded } = await createSanitizer(everyDetector).treat('mail a@b.co, not\u200bes', {
        type,
      })
      expect({ answer, forwarded }).toEqual({
        answer: undefined,
        forwarded: 'mail [REDACTED:email], not\u200bes',
      })
    },
  )

  test('JSON sent as text stays JSON', async () => {
    const { forwarded } = await createSanitizer(everyDetector).treat('{"card":4111111111111111}', {
      type: 'text/plain',
    })
    expect(forwarded).toBe('{"card":"[REDACTED:credit_card]"}')
  })

  test('a byte order mark stays', async () => {
    const { forwarded } = await createSanitizer(everyDetector).treat('\ufeffa@b.co', { type: 'text/plain' })
    expect(forwarded).toBe('\ufeff[REDACTED:email]')
  })

  test('escapes that are none stay', async () => {
    const text = 'C:\\new\\temp 100% &# \\u12 %4 &#x; a@b.co'
    const { forwarded } = await createSanitizer(everyDetector).treat(text, { type: 'text/plain' })
    expect(forwarded).toBe(text.replace('a@b.co', '[REDACTED:email]'))
  })
})

describe('forms', () => {
  test.each([
    ['a value', 'a=1&m=alice%40example.com&b=2', 'a=1&m=%5BREDACTED%3Aemail%5D&b=2'],
    ['a name', 'alice%40example.com=1', '%5BREDACTED%3Aemail%5D=1'],
    ['a name without value', 'x&alice%40example.com', 'x&%5BREDACTED%3Aemail%5D'],
    ['a value with blanks', 'c=4111+1111%201111+1111', 'c=%5BREDACTED%3Acredit_card%5D'],
    ['a value among words', 'c=to+a%40b.co+%26+more', 'c=to+%5BREDACTED%3Aemail%5D+%26+more'],
    ['a value encoded twice', 'm=alice%2540example.com', 'm=%5BREDACTED%3Aemail%5D'],
    ['a value under a telling name', 'ssn=123456789', 'ssn=%5BREDACTED%3Aus_ssn%5D'],
    ['a raw value', 'm=a@b.co', 'm=%5BREDACTED%3Aemail%5D'],
    ['full-width escapes', 'm=a%EF%BC%A0b.co', 'm=%5BREDACTED%3Aemail%5D'],
    [
      'JSON in a value',
      'j=%7B%22c%22%3A4111111111111111%7D',
      `j=${encodeURIComponent('{"c":"[REDACTED:credit_card]"}')}`,
    ],
    ['JSON in place of a form', '{"c":4111111111111111}', encodeURIComponent('{"c":[REDACTED:credit_card]}')],
    ['signs that are no escapes', 'a=100%&m=50%25+a%40b.co', 'a=100%&m=50%25+%5BREDACTED%3Aemail%5D'],
    ['raw and escaped letters together', 'm=é%40b.co', 'm=%5BREDACTED%3Aemail%5D'],
  ])('%s is treated', async (_title, body, expected) => {
    const { answer, forwarded } = await createSanitizer(everyDetector).treat(body, { type: FORM })
    expect({ answer, forwarded }).toEqual({ answer: undefined, forwarded: expected })
  })

  test.each(['', 'a', 'a=', '=', '&', '&&a==b&', 'a=%', 'a=%4', 'a=%zz', 'a=%41%5b+é', 'x=%C3%A9'])(
    'the clean form %j is forwarded byte for byte',
    async (body) => {
      const { answer, forwarded, replaced } = await createSanitizer(everyDetector).treat(body, { type: FORM })
      expect({ answer, forwarded, replaced }).toEqual({ answer: undefined, forwarded: body, replaced: 0 })
    },
  )

  test.each(['a=%FF', 'a=%C0%B4111111111111111', '%E9=1'])('the bytes of %j are no UTF-8', async (body) => {
    const { answer } = await createSanitizer(everyDetector).treat(body, { type: FORM })
    expect(answer).toEqual(invalidAnswer('body', 'The body must be UTF-8.'))
  })
})
