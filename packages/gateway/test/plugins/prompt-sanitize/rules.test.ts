import { describe, expect, test } from 'vitest'
import { InitialisationError } from '../../../src/errors.ts'
import { createSanitizer, type TestRule } from './sanitizing.ts'

async function treatText(text: string, ...rules: readonly TestRule[]): Promise<string> {
  const { answer, forwarded } = await createSanitizer(rules).treat(text, { type: 'text/plain' })
  expect(answer).toBeUndefined()
  return forwarded
}

describe('keywords', () => {
  const secret: TestRule = { name: 'k', keywords: ['Top Secret'] }
  const redacted = 'a [REDACTED:k] b'

  test.each([
    'a Top Secret b',
    'a TOP SECRET b',
    'a top  secret b',
    'a top\t\r\n secret b',
    'a ｔｏｐ　ＳＥＣＲＥＴ b',
    'a t\u200bo\u200bp s\u00adecret b',
    'a t\u0337o\u0337p secret b',
    'a 𝐭𝐨𝐩 𝓼𝓮𝓬𝓻𝓮𝓽 b',
    'a ⓣⓞⓟ secret b',
    'a top\\nsecret b',
    'a top\\u0020secret b',
    'a top%20secret b',
    'a top&#32;secret b',
    'a \u0000top secret b'.replace('\u0000', ''),
  ])('%j holds the keyword', async (text) => {
    expect(await treatText(text, secret)).toBe(redacted)
  })

  test.each(['a topsecret b', 'a top-secret b', 'a top secre b', 'a tόp secret b'])(
    '%j does not hold the keyword',
    async (text) => {
      expect(await treatText(text, secret)).toBe(text)
    },
  )

  test('a keyword is found inside words', async () => {
    expect(await treatText('xtop secretx', secret)).toBe('x[REDACTED:k]x')
  })

  test.each([
    ['straße', 'STRASSE'],
    ['STRASSE', 'straße'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['café', 'CAFE\u0301'],
    ['cafe\u0301', 'CAFÉ'],
    ['istanbul', 'İSTANBUL'],
    ['Ελλάδα', 'ΕΛΛΆΔΑ'],
    ['привет', 'ПРИВЕТ'],
    ['한국', '\u1112\u1161\u11ab\u1100\u116e\u11a8'],
    ['𐐨𐐩', '𐐀𐐁'],
    ['ﬁne', 'FINE'],
    ['१२३', '123'],
  ])('the keyword %j is found in %j', async (keyword, text) => {
    expect(await treatText(`<${text}>`, { name: 'k', keywords: [keyword] })).toBe('<[REDACTED:k]>')
  })

  test('an accent makes another word', async () => {
    expect(await treatText('résumé', { name: 'k', keywords: ['resume'] })).toBe('résumé')
  })

  test('keywords that overlap or touch are one redaction', async () => {
    const rule = { name: 'k', keywords: ['abc', 'bcd', 'cdef', 'x'] }
    expect(await treatText('_abcdef_xxx_', rule)).toBe('_[REDACTED:k]_[REDACTED:k]_')
  })

  test('a thousand keywords cost one pass', async () => {
    const keywords = Array.from({ length: 1000 }, (_, n) => `keyword ${n}`)
    expect(await treatText('a KEYWORD 999 b keyword 77', { name: 'k', keywords })).toBe(
      'a [REDACTED:k] b [REDACTED:k]',
    )
  })
})

describe('patterns', () => {
  test.each([
    ['TCK-[0-9]{6}', 'see TCK-123456.', 'see [REDACTED:p].'],
    ['TCK-[0-9]{6}', 'see ＴＣＫ－１２３４５６.', 'see [REDACTED:p].'],
    ['TCK-[0-9]{6}', 'see T\u200bCK-123\u200b456.', 'see [REDACTED:p].'],
    ['TCK-[0-9]{6}', 'see TCK\\u002d123456.', 'see [REDACTED:p].'],
    ['[0-9]+', '1 22 333', '[REDACTED:p] [REDACTED:p] [REDACTED:p]'],
    ['(?i:secret)-\\d+', 'SECRET-1', '[REDACTED:p]'],
    ['\\u200b+', 'a\u200b\u200bb', 'a[REDACTED:p]b'],
    ['[Ａ-Ｚ]+', 'aＡＢb', 'a[REDACTED:p]b'],
    ['(?<year>20\\d\\d)', 'in 2024', 'in [REDACTED:p]'],
    ['\\p{Lu}{3}', 'abc ÄÖÜ', 'abc [REDACTED:p]'],
    ['^a', 'aaa', '[REDACTED:p]aa'],
    ['.+', 'all of it', '[REDACTED:p]'],
    ['x*', 'abc', 'abc'],
    ['\\bword\\b', 'a word, sword', 'a [REDACTED:p], sword'],
  ])('%s in %j', async (regex, text, expected) => {
    expect(await treatText(text, { name: 'p', regex })).toBe(expected)
  })

  test.each(['(?=a)b', '(a)\\1', '(?<!a)b', 'a{1,5000}', '(', '[z-a]'])(
    'the pattern %s stops the start, and the message does not repeat it',
    (regex) => {
      const start = () => createSanitizer([{ name: 'p', regex }])
      expect(start).toThrow(InitialisationError)
      expect(start).toThrow(/^prompt-sanitize: the pattern of rule p cannot be used: [a-z ,()']+$/i)
    },
  )
})

describe('replacements', () => {
  test('a rule may have its own', async () => {
    const rule: TestRule = { name: 't', regex: 'TCK-[0-9]{6}', replacement: '[ticket]' }
    expect(await treatText('see TCK-123456', rule)).toBe('see [ticket]')
  })

  test('a dollar sign in it is only a dollar sign', async () => {
    const rule: TestRule = { name: 't', regex: '(x)(y)', replacement: "$1$&$$'" }
    expect(await treatText('axyb', rule)).toBe("a$1$&$$'b")
  })

  test('it may be empty', async () => {
    const rule: TestRule = { name: 't', keywords: ['secret '], replacement: '' }
    expect(await treatText('a secret b', rule)).toBe('a  b')
  })

  test('what it joins is looked at again', async () => {
    const rules: readonly TestRule[] = [
      { name: 't', regex: '<[a-z]*>', replacement: '' },
      { name: 'email', builtin: 'email' },
    ]
    expect(await treatText('alice@exa<b>mple.com', ...rules)).toBe('[REDACTED:email]')
  })
})

describe('a replacement that a rule matches', () => {
  test('is told at start, and left alone wherever it stands', async () => {
    const sanitizer = createSanitizer([
      { name: 'names', keywords: ['alice', 'bob'], replacement: 'user' },
      { name: 'roles', keywords: ['user', 'admin'] },
    ])
    expect(sanitizer.lines).toEqual([
      {
        level: 'warn',
        message: 'prompt-sanitize: a rule matches a replacement, which is never replaced itself',
        fields: { rule: 'roles', replacement_of: 'names' },
      },
    ])
    expect((await sanitizer.treat('["alice","user","admin"]')).forwarded).toBe(
      '["user","user","[REDACTED:roles]"]',
    )
  })

  test('is not told of the replacements that nobody chose', () => {
    const sanitizer = createSanitizer([
      { name: 'email', builtin: 'email' },
      { name: 'word', regex: '[A-Z]+' },
    ])
    expect(sanitizer.lines).toEqual([])
  })
})

describe('rules together', () => {
  const email: TestRule = { name: 'email', builtin: 'email' }
  const card: TestRule = { name: 'card', builtin: 'credit_card' }

  test('overlapping finds are one redaction, named by the longest', async () => {
    expect(await treatText('4111111111111111@example.com', card, email)).toBe('[REDACTED:email]')
  })

  test('equal finds are named by the first rule', async () => {
    const other: TestRule = { name: 'mail', builtin: 'email' }
    expect(await treatText('a@b.co', other, email)).toBe('[REDACTED:mail]')
    expect(await treatText('a@b.co', email, other)).toBe('[REDACTED:email]')
  })

  test('a placeholder is not a find, whatever the rules', async () => {
    const rules: readonly TestRule[] = [
      email,
      { name: 'word', regex: '[A-Za-z]{5,}' },
      { name: 'mail', keywords: ['email', 'redacted'] },
    ]
    expect(await treatText('a@b.co', ...rules)).toBe('[REDACTED:email]')
    expect(await treatText('[REDACTED:email]', ...rules)).toBe('[REDACTED:email]')
  })

  test('a look-alike of a placeholder is searched', async () => {
    const rule: TestRule = { name: 'card', builtin: 'credit_card' }
    expect(await treatText('[REDACTED:4111111111111111]', rule)).toBe('[REDACTED:[REDACTED:card]]')
  })

  test('a find that reaches beyond a placeholder takes it along', async () => {
    const rules: readonly TestRule[] = [email, { name: 'line', regex: '.*secret.*' }]
    expect(await treatText('x [REDACTED:email] secret\ny', ...rules)).toBe('[REDACTED:line]\ny')
  })
})

test('a rule that looks for nothing stops the start', () => {
  expect(() => createSanitizer([{ name: 'r' }])).toThrow(
    new InitialisationError('prompt-sanitize: rule r has nothing to look for'),
  )
})

test.each(['\u200b', ' ', '\u0301'])('the keyword %j stops the start', (keyword) => {
  expect(() => createSanitizer([{ name: 'r', keywords: ['fine', keyword] }])).toThrow(
    new InitialisationError('prompt-sanitize: rule r has a keyword without a visible character'),
  )
})
