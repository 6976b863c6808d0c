import { describe, expect, test } from 'vitest'
import { createSanitizer, everyDetector, invalidAnswer } from './sanitizing.ts'

async function redacted(body: string, rules = everyDetector): Promise<string> {
  const { answer, forwarded } = await createSanitizer(rules).treat(body)
  expect(answer).toBeUndefined()
  return forwarded
}

describe('strings, numbers and keys are treated', () => {
  test.each([
    ['a string', '{"a":"write alice@example.com"}', '{"a":"write [REDACTED:email]"}'],
    ['the whole document', '"alice@example.com"', '"[REDACTED:email]"'],
    ['an array', '[1,"alice@example.com",null]', '[1,"[REDACTED:email]",null]'],
    ['a number', '{"a":4111111111111111}', '{"a":"[REDACTED:credit_card]"}'],
    ['a negative number', '[-4111111111111111]', '["-[REDACTED:credit_card]"]'],
    ['a number with a fraction of zeros', '[4111111111111111.0]', '["[REDACTED:credit_card]"]'],
    ['a number with an exponent', '[4.111111111111111e15]', '["[REDACTED:credit_card]"]'],
    ['a number with a negative exponent', '[41111111111111110E-1]', '["[REDACTED:credit_card]"]'],
    ['a number as the document', '4111111111111111', '"[REDACTED:credit_card]"'],
    ['a key', '{"alice@example.com":{"b":1}}', '{"[REDACTED:email]":{"b":1}}'],
    ['an empty-looking mix', '{"":"","a":[],"b":{}}', '{"":"","a":[],"b":{}}'],
    ['two rules in one string', '["a@b.co 192.0.2.1"]', '["[REDACTED:email] [REDACTED:ipv4]"]'],
    ['a number under a telling key', '{"homePhone":2125550100}', '{"homePhone":"[REDACTED:phone]"}'],
    [
      'an array under a telling key',
      '{"ssn":[123456789,"123456780"]}',
      '{"ssn":["[REDACTED:us_ssn]","[REDACTED:us_ssn]"]}',
    ],
  ])('%s', async (_title, body, expected) => {
    expect(await redacted(body)).toBe(expected)
  })
})

describe('escapes and look-alikes hide nothing', () => {
  test.each([
    ['an escaped at sign', String.raw`["alice\u0040example.com"]`],
    ['a value of escapes only', String.raw`["\u0061\u0040\u0062\u002e\u0063\u006f"]`],
    ['an escaped key', String.raw`[{"alice\u0040example.com":0}]`],
    ['full-width letters', '["ａｌｉｃｅ＠ｅｘａｍｐｌｅ．ｃｏｍ"]'],
    ['zero-width characters', '["al\u200bice\u2060@exam\ufeffple.com"]'],
    ['escaped zero-width characters', String.raw`["al\u200bice@exam\u200dple.com"]`],
    ['a JSON string in a JSON string', String.raw`["{\"m\":\"alice\\u0040example.com\"}"]`],
    ['three levels of JSON', JSON.stringify([JSON.stringify([JSON.stringify(['a@b.co'])])])],
    ['JSON after other words', String.raw`["see {\"m\":\"alice\\u0040example.com\"}"]`],
    ['an escaped NUL', String.raw`["alice\u0000@example.com"]`],
    ['an escaped slash and tab', String.raw`["\/alice@example.com\t"]`],
  ])('%s', async (_title, body) => {
    const forwarded = await redacted(body)
    expect(forwarded).toContain('[REDACTED:email]')
    expect(forwarded).not.toMatch(/alice|example|a@b|0040/)
    expect(() => JSON.parse(forwarded)).not.toThrow()
  })

  test('JSON inside a string stays JSON', async () => {
    const inner = '{"card": 4111111111111111, "n": 1.0, "a@b.co": 1, "c@d.co": 2}'
    const forwarded = await redacted(JSON.stringify({ arguments: inner }))
    expect(JSON.parse(forwarded).arguments).toBe(
      '{"card": "[REDACTED:credit_card]", "n": 1.0, "[REDACTED:email]": 1, "[REDACTED:email]#2": 2}',
    )
  })

  test('JSON after other words keeps its escapes whole', async () => {
    const text = String.raw`context: {"note":"line\nalice@example.com"}`
    const forwarded: string[] = JSON.parse(await redacted(JSON.stringify([text])))
    expect(forwarded[0]).toBe('context: {"note":"line[REDACTED:email]"}')
  })

  test('JSON nested deeper than it is taken apart is treated as text', async () => {
    let text = '{"m":"alice\\u0040example.com"}'
    for (let level = 0; level < 8; level++) text = JSON.stringify([text])
    const forwarded = await redacted(text)
    expect(forwarded).toContain('[REDACTED:email]')
    expect(forwarded).not.toContain('alice')
  })
})

describe('what no rule matches stays as it is', () => {
  const body =
    '{ "big": 12345678901234567890 ,\t"one":1.0,"e":1E+2,"m":-0,\r\n"u":"\\u00e9\\/","a":1,"a":2 ,"x":[ ] , "é":"😀" }'

  test('a clean document is forwarded byte for byte, without being put back', async () => {
    const { forwarded, replaced, read } = await createSanitizer(everyDetector).treat(body)
    expect({ forwarded, replaced, read }).toEqual({ forwarded: body, replaced: 0, read: true })
  })

  test('around a redaction every other byte is the same', async () => {
    const { forwarded, replaced } = await createSanitizer(everyDetector).treat(
      `[${body},"alice@example.com"]`,
    )
    expect({ forwarded, replaced }).toEqual({ forwarded: `[${body},"[REDACTED:email]"]`, replaced: 1 })
  })

  test('the floats of an embedding are not card numbers', async () => {
    const floats = '[0.4532015112830366,-0.4556737586899855,4.532015112830366,37.4532015112830366,5.1e-7]'
    expect(await redacted(floats)).toBe(floats)
  })
})

describe('keys', () => {
  test('an earlier duplicate key does not escape because of a later one', async () => {
    expect(await redacted('{"a":"alice@example.com","a":"x"}')).toBe('{"a":"[REDACTED:email]","a":"x"}')
  })

  test.each([
    [
      'two redacted keys',
      '{"a@b.co":1,"c@d.co":2,"e@f.co":3}',
      '{"[REDACTED:email]":1,"[REDACTED:email]#2":2,"[REDACTED:email]#3":3}',
    ],
    ['the same key twice', '{"a@b.co":1,"a@b.co":2}', '{"[REDACTED:email]":1,"[REDACTED:email]#2":2}'],
    [
      'a key that was redacted before',
      '{"a@b.co":1,"[REDACTED:email]":2}',
      '{"[REDACTED:email]#2":1,"[REDACTED:email]":2}',
    ],
    [
      'a numbered key that was redacted before',
      '{"[REDACTED:email]":0,"a@b.co":1,"[REDACTED:email]#2":2}',
      '{"[REDACTED:email]":0,"[REDACTED:email]#3":1,"[REDACTED:email]#2":2}',
    ],
    [
      'keys of different objects',
      '[{"a@b.co":1},{"a@b.co":{"a@b.co":2}}]',
      '[{"[REDACTED:email]":1},{"[REDACTED:email]":{"[REDACTED:email]":2}}]',
    ],
  ])('%s keep all values', async (_title, body, expected) => {
    expect(await redacted(body)).toBe(expected)
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is an ordinary key',
    async (key) => {
      expect(await redacted(`{"${key}":"a@b.co","x@y.co":1}`)).toBe(
        `{"${key}":"[REDACTED:email]","[REDACTED:email]":1}`,
      )
    },
  )
})

describe('depth', () => {
  const nested = (depth: number, core = '') => `${'['.repeat(depth)}${core}${']'.repeat(depth)}`

  test('64 levels are treated', async () => {
    expect(await redacted(nested(64, '"a@b.co"'))).toBe(nested(64, '"[REDACTED:email]"'))
  })

  test.each([65, 5_000, 250_000])('%i levels are refused', async (depth) => {
    const { answer, replaced } = await createSanitizer(everyDetector).treat(nested(depth))
    expect(answer).toEqual(invalidAnswer('body', 'The body must not be nested deeper than 64 levels.'))
    expect(replaced).toBe(0)
  })

  test('objects and arrays count alike', async () => {
    const body = `${'{"a":['.repeat(33)}${']}'.repeat(33)}`
    const { answer } = await createSanitizer(everyDetector).treat(body)
    expect(answer).toEqual(invalidAnswer('body', 'The body must not be nested deeper than 64 levels.'))
  })

  test('a string that holds deeper JSON is treated as text', async () => {
    const forwarded = await redacted(JSON.stringify([nested(500, '"a@b.co"')]))
    expect(forwarded).toBe(JSON.stringify([nested(500, '"[REDACTED:email]"')]))
  })
})

describe('what is not JSON is refused', () => {
  test.each([
    ['a cut document', '{"a":'],
    ['a comment', '{"a":1/*x*/}'],
    ['single quotes', "{'a':1}"],
    ['a trailing comma', '[1,]'],
    ['two documents', '{} {}'],
    ['a byte order mark', '\ufeff{}'],
    ['NaN', '[NaN]'],
    ['a hexadecimal number', '[0x10]'],
    ['blanks', '   '],
    ['a raw line break in a string', '["a\nb"]'],
    ['a lone escape', '["\\x41"]'],
  ])('%s', async (_title, body) => {
    const { answer, replaced } = await createSanitizer(everyDetector).treat(body)
    expect(answer).toEqual(invalidAnswer('body', 'The body must be valid JSON.'))
    expect(replaced).toBe(0)
  })
})
