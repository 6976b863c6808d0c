import type { BuiltinRule } from '../../../src/config/config-schema.ts'

/** One MiB, in bytes of UTF-8. */
export const MIB = 1_048_576

/** One MiB of a repeated text, as one flat string: a concatenated string is slower to read. */
export function fill(unit: string): string {
  const bytes = Buffer.from(unit.repeat(Math.ceil(MIB / Buffer.byteLength(unit))))
  return bytes.subarray(0, MIB).toString()
}

const long = (character: string, length: number) => character.repeat(length)

/** The slowest texts to prepare for any rule: every character needs folding or decoding. */
export const hostileToAll: Readonly<Record<string, string>> = {
  letters: 'a',
  digits: '1',
  blanks: ' ',
  'line breaks': '\n',
  'zero-width spaces': '\u200b',
  'full-width digits': '１',
  'letters with marks': 'a\u0337',
  'nothing but marks': '\u0301',
  'letters and accents': 'e\u0301',
  'mathematical digits': '𝟒',
  'signs that stand for phrases': '\ufdfa',
  ligatures: 'ﬁ',
  'Arabic digits': '٣',
  'Cyrillic capitals': 'Ж',
  'Cyrillic look-alikes': 'а',
  'tag characters': '\u{e0041}',
  'fillers of Hangul': '\u3164',
  backslashes: '\\',
  'JSON escapes': '\\u0040',
  'escaped line breaks': '\\n',
  'percent signs': '%25',
  'percent escapes': '%40',
  'HTML references': '&#64;',
  'beginnings of HTML references': '&#',
}

/** Hostile texts for one detector: beginnings without ends, near misses, and adjacent values. */
export const hostileTo: Readonly<Record<BuiltinRule, readonly string[]>> = {
  email: [
    '@',
    'a@',
    'a@a.',
    'a@b.co ',
    `@${long('a', 62)}-`,
    '"a"@',
    `"${long('a', 64)}`,
    'a---',
    ' [at',
    'ａ＠ｂ．ｃｏ ',
  ],
  phone: [
    '+',
    '+1 ',
    '0',
    '01 23 ',
    '0123 45678 ',
    '(01234) 12345678 1234 1234 123',
    '(212)',
    '212-555-0100 ',
    'phone ',
    'phone 5551234 ',
    '+1,22',
    '01,23,',
    '212,555,',
    '212,555,0100 ',
  ],
  credit_card: [
    '4',
    '4 ',
    '4-',
    '4.',
    '4444 ',
    '4111111111111112 ',
    '4111111111111111 ',
    '41111111111111111111 ',
    '6 666 6',
    '4,',
    '4444,',
    '4111,1111,1111,1111 a ',
    '４１１１１１１１１１１１１１１１ ',
  ],
  iban: [
    'DE',
    'DE89',
    'DE89 ',
    'DE89-',
    'IBANDE89 ',
    'GB82 WEST 1234 5698 7654 3',
    'DE89370400440532013000 ',
    'LC55HEMM',
    'MT84 ',
    'ＤＥ８９',
  ],
  us_ssn: [
    '12-',
    '123-45-',
    '123-45-6789 ',
    'ssn ',
    'ssn12345678',
    'social security ',
    '000-00-0000 ',
    '123 45 ',
    '123,45,',
    '123,45,6789 ',
    'SSN: 12345678 ',
  ],
  ipv4: ['1.', '1.1.1.', '1.1.1.1 ', '255.255.255.', '1.1.1.1.', '999.', '1[.]1[.]', 'v1.1.1.1 ', '25.'],
  jwt: [
    'eyJ',
    'eyJhbGciOiJIUz9.',
    'eyJhbGciOiJIUz9.a.',
    'eyJhbGciOiJIUzI1NiJ9.',
    'eyJhbGciOiJIUzI1NiJ9.a.b ',
    `eyJ${long('a', 100_000)}.`,
    '.',
    'ey ',
    'ewoi',
  ],
  api_key: [
    'sk-',
    'sk-a',
    'AKIA',
    'ghp_',
    `ghp_${long('a', 35)} `,
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN ',
    '-',
    'api_key=',
    'api_key: aaaaaaaaaaaaaaaa ',
    'bearer ',
    '12345678:AA',
    `SG.${long('a', 32)}.`,
  ],
}

/** Texts full of beginnings of keywords. */
export const hostileToKeywords: readonly string[] = [
  'ignore previous ',
  'aaaa aaaa ',
  'IGNORE ',
  'ab',
  'aaab ',
  'ｉｇｎｏｒｅ ',
  'іgnоrе ',
]
