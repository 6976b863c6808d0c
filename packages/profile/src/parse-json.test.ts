import { runInNewContext } from 'node:vm'
import { growth, LINEAR } from '@agentic-rest/testing/cpu-ratio'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJson, type JsonFault, MAX_JSON_DEPTH, parseJson, parseOwnJson } from './parse-json.ts'

let objects = 0

/**
 * The first member of a new kind of object, after which V8 expects the second name: then it takes a name with an escape
 * for the expected one, if its first characters are spelled like it and there are as many of them as the name has.
 */
function primedBy(expected: string): string {
  objects += 1
  const first = `"first${objects}":1`
  JSON.parse(`{${first},${JSON.stringify(expected)}:2}`)
  return first
}

const raw = String.raw

describe('a name with an escape, after V8 has seen another one', () => {
  it('is read wrongly by V8 itself; without this fault the reader would not be needed', () => {
    const first = primedBy(raw`\u0061`)
    expect(Object.keys(JSON.parse(`{${first},"\\u0061mount":2}`))[1]).toBe(raw`\u0061`)
  })

  it.each([
    [raw`\u0061`, raw`\u0061mount`, 'amount'],
    [raw`w\u00e4`, raw`w\u00e4hrung`, 'währung'],
    ['\\', raw`\u0062`, 'b'],
    [raw`\"`, raw`\"b`, '"b'],
    [raw`\\u006`, raw`\\u0061`, raw`\u0061`],
    [raw`\u002`, raw`\u0022abcd`, '"abcd'],
    ['\\', raw`\u0000`, '\0'],
    ['\\', raw`\ud800`, '\ud800'],
    [raw`\u005f_pr`, raw`\u005f_proto__`, '__proto__'],
  ])('%s, then %s', (expected, spelled, name) => {
    const json = `{${primedBy(expected)},"${spelled}" :{"x":"\\\\"}}`
    expect(Object.entries(parseJson(json).value as object)[1]).toEqual([name, { x: '\\' }])
    expect(Object.entries(parseOwnJson(json) as object)[1]).toEqual([name, { x: '\\' }])
  })

  it('counts like the same name without one', () => {
    expect(parseJson(raw`{"\u0061":1,"b":2,"a":3}`)).toEqual({ value: { a: 3, b: 2 } })
    expect(parseJson(raw`["\"a\":", {"x":"\u0061"}]`)).toEqual({ value: ['"a":', { x: 'a' }] })
  })
})

describe('names', () => {
  it('are members of the object itself, also __proto__', () => {
    for (const json of ['{"__proto__":{"x":1},"toString":2}', raw`{"\u005f_proto__":{"x":1},"toString":2}`]) {
      const value = parseJson(json).value as object
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(Object.entries(value)).toEqual([
        ['__proto__', { x: 1 }],
        ['toString', 2],
      ])
    }
  })
})

/** A document, and its spelling with any character of any text escaped. */
interface Spelled {
  readonly value: unknown
  readonly json: string
}

const character = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'u',
    '0',
    '6',
    '1',
    '"',
    '\\',
    '/',
    '\n',
    '\0',
    'ä',
    '€',
    '\ud83d',
    '\ude00',
    ':',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
)
const short = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['/', '\\/'],
  ['\n', '\\n'],
])

const spelledText: fc.Arbitrary<Spelled & { readonly value: string }> = fc
  .array(fc.tuple(character, fc.boolean(), fc.boolean()), { maxLength: 9 })
  .map((parts) => {
    const units = parts.flatMap(([text, escaped, brief]) =>
      text.split('').map((unit) => {
        if (brief && short.has(unit)) return short.get(unit)
        const mustEscape = unit === '"' || unit === '\\' || unit < ' '
        return escaped || mustEscape ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit
      }),
    )
    return { value: parts.map(([text]) => text).join(''), json: `"${units.join('')}"` }
  })

const blank = fc.constantFrom('', '', ' ', '\n\t\r ')

const { document } = fc.letrec<{ document: Spelled; list: Spelled; map: Spelled }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 5 },
    spelledText,
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()).map((value) => ({
      // JSON has no other way to write it.
      value: Object.is(value, -0) ? 0 : value,
      json: String(value),
    })),
    fc.constantFrom(true, false, null).map((value) => ({ value, json: String(value) })),
    tie('list'),
    tie('map'),
  ),
  list: fc.tuple(fc.array(tie('document'), { maxLength: 4 }), blank).map(([items, space]) => ({
    value: items.map(({ value }) => value),
    json: `[${space}${items.map(({ json }) => json).join(`${space},`)}${space}]`,
  })),
  map: fc.tuple(fc.array(fc.tuple(spelledText, tie('document')), { maxLength: 4 }), blank).map(
    ([members, space]): Spelled => ({
      // `fromEntries` defines members: of repeated names the last value, and `__proto__` as any other.
      value: Object.fromEntries(members.map(([name, { value }]) => [name.value, value])),
      json: `{${space}${members.map(([name, { json }]) => `${name.json}${space}:${json}`).join(`,${space}`)}}`,
    }),
  ),
}))

describe('any document', () => {
  it('has the value that was spelled', () => {
    fc.assert(
      fc.property(document, ({ value, json }) => {
        expect(parseJson(json)).toEqual({ value })
        expect(JSON.stringify(parseJson(json).value)).toBe(JSON.stringify(value))
        expect(parseOwnJson(json)).toEqual(value)
        // The reader without the engine's help.
        expect(parseJson(json, { leaf: (each) => each })).toEqual({ value })
      }),
      { numRuns: 1000 },
    )
  })

  it('has its names, whatever name V8 expects', () => {
    fc.assert(
      fc.property(spelledText, ({ value, json }) => {
        const first = primedBy(json.slice(1, 1 + value.length))
        const text = `{${first},${json}:2}`
        expect(Object.keys(parseJson(text).value as object)).toContain(value)
        expect(Object.keys(parseOwnJson(text) as object)).toContain(value)
        const fresh = runInNewContext('JSON.stringify(JSON.parse(text))', { text })
        expect(JSON.stringify(parseJson(text).value)).toBe(fresh)
      }),
      { numRuns: 300 },
    )
  })

  it('is JSON exactly when JSON.parse accepts it, whatever is cut out of it or put into it', () => {
    const edit = fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...'{}[]":,\\u0e-+. \ufefft\t', ''))
    fc.assert(
      fc.property(document, edit, ({ json }, [place, cut, put]) => {
        const at = place % (json.length + 1)
        const text = json.slice(0, at) + put + json.slice(at + cut)
        const { fault } = parseJson(text, { leaf: (each) => each })
        // After a number that is too large nothing is read.
        if (fault?.reason !== 'not_finite') expect(fault === undefined).toBe(isJson(text))
        expect(parseJson(text).fault).toEqual(fault)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('a text that is no JSON', () => {
  it.each<[string, number, number]>([
    ['', 1, 1],
    ['  ', 1, 3],
    ['{', 1, 2],
    ['\ufeff{}', 1, 1],
    ['{"a":1,}', 1, 8],
    ['{"a" 1}', 1, 6],
    ['{a:1}', 1, 2],
    ['[1,\n 2 3]', 2, 4],
    ['[1,\r\n\r,]', 3, 1],
    ['[01]', 1, 3],
    ['[1.]', 1, 3],
    ['[-]', 1, 2],
    ['[+1]', 1, 2],
    ['[tru]', 1, 2],
    ['[1}', 1, 3],
    ['{} {}', 1, 4],
    ['"a', 1, 3],
    ['"a\nb"', 1, 3],
    ['"\\x"', 1, 2],
    ['{"\\u00g0":1}', 1, 3],
    ['{"a":\\u0031}', 1, 6],
    ['NaN', 1, 1],
  ])('%j has its fault in line %i, column %i', (json, line, column) => {
    expect(parseJson(json).fault).toMatchObject({ reason: 'syntax', line, column })
    expect(() => parseOwnJson(json)).toThrow(SyntaxError)
    expect(isJson(json)).toBe(false)
  })

  it('is described without its content', () => {
    expect(parseJson('{"secret": oops}').fault).toEqual<JsonFault>({
      reason: 'syntax',
      message: 'there is an unexpected character (line 1, column 12)',
      path: ['secret'],
      line: 1,
      column: 12,
    })
    expect(parseJson('{"secret": ').fault?.message).toBe('it ends too early (line 1, column 12)')
  })
})

describe('the depth', () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`

  it('is at most 64, and 72 in messages around a document', () => {
    expect(parseJson(nested(MAX_JSON_DEPTH)).fault).toBeUndefined()
    expect(parseJson(nested(MAX_JSON_DEPTH + 2)).fault).toMatchObject({
      reason: 'too_deep',
      message: 'it is nested too deep (line 1, column 193)',
    })
    expect(parseJson(nested(MAX_JSON_DEPTH + 8), { isMessage: true }).fault).toBeUndefined()
    expect(parseJson(nested(MAX_JSON_DEPTH + 10), { isMessage: true }).fault?.reason).toBe('too_deep')
    expect(parseJson('['.repeat(1_000_000)).fault?.reason).toBe('too_deep')
    // Brackets in texts and closed ones do not count.
    expect(parseJson(`["${'['.repeat(99)}\\"[",${'[],'.repeat(99)}1]`).fault).toBeUndefined()
  })

  it('of own text has no limit, and no depth overflows the stack', () => {
    const deep = `${'{"\\u0061":['.repeat(100_000)}${']}'.repeat(100_000)}`
    let value = parseOwnJson(deep)
    let depth = 0
    for (; typeof value === 'object' && value !== null; depth += 1) [value] = Object.values(value)
    expect(depth).toBe(200_000)
  })
})

describe('numbers', () => {
  it.each(['1e999', '-1e999', '1E+400', `1${'0'.repeat(309)}`, `${'9'.repeat(250)}e99`, '1e0000309'])(
    '%s is not finite',
    (number) => {
      expect(parseJson(`{"a":[0,{"b":${number}}]}`).fault).toMatchObject({
        reason: 'not_finite',
        path: ['a', '1', 'b'],
        line: 1,
        column: 14,
      })
    },
  )

  it.each(['1e308', '-1.5E+2', '1e-999', '-0', '0.1', `0.${'1'.repeat(400)}`, `1${'0'.repeat(308)}`])(
    '%s has the value of JSON.parse',
    (number) => {
      expect(parseJson(number)).toEqual({ value: JSON.parse(number) })
    },
  )

  it('can be taken as they are written', () => {
    const leaf = (value: string | number, source: string) =>
      typeof value === 'number' ? `n${source}` : `s${value}`
    expect(parseJson('[1.0, "\\u0061", 12345678901234567890]', { leaf })).toEqual({
      value: ['n1.0', 'sa', 'n12345678901234567890'],
    })
  })
})

it.each([
  { name: 'texts without escapes', member: '"name":"text"' },
  { name: 'texts with escapes', member: String.raw`"name":"te\"xt\\"` },
  { name: 'names with escapes', member: String.raw`"n\u0061me":"text"` },
  { name: 'a backslash at the end', member: '"name":"text"', end: '\\' },
  { name: 'a fault after many lines', member: '"name":\n"text"', end: 'x' },
])('reads in linear time after V8 has compiled it: $name', async ({ member, end = ']' }) => {
  for (let count = 0; count < 100_000; count += 1) parseJson('{"a":["b",1,"c"],"d":{"e":"f"}}')
  const workOf = (count: number) => {
    const text = `[${Array(count).fill(`{${member}}`).join()}${end}`
    return () => parseJson(text)
  }
  expect(await growth({ workOf, size: 16_000 })).toBeLessThan(LINEAR)
})

describe('more values than allowed', () => {
  const list = (count: number, item = '0') => `{"a":[${Array(count).fill(item).join(',')}]}`
  const reasonOf = (text: string) => parseJson(text, { maxValues: 100 }).fault?.reason

  it.each([
    ['99 elements', list(99), undefined],
    ['100 elements', list(100), 'too_many'],
    ['empty objects', list(51, '{}'), 'too_many'],
    ['commas and brackets in texts', JSON.stringify({ a: ',[{'.repeat(200) }), undefined],
    ['quotes and backslashes in texts', JSON.stringify({ a: '\\",['.repeat(200) }), undefined],
    ['elements after a text with escapes', `{"a":"${'\\"'.repeat(200)}","b":${list(100)}}`, 'too_many'],
    ['elements after a name with an escape', raw`{"\u0061":${list(100)}}`, 'too_many'],
  ])('%s', (_name, text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })
})

it('a repeated name is a fault where names have to be unique, whatever its spelling', () => {
  const reasonOf = (text: string) => parseJson(text, { uniqueNames: true }).fault?.reason
  expect(reasonOf('{"a":1,"b":{"a":2},"toString":3}')).toBeUndefined()
  expect(reasonOf('[{"a":1},{"b":1,"a":2,"b":3}]')).toBe('repeated')
  expect(reasonOf(raw`{"a":1,"\u0061":2}`)).toBe('repeated')
  expect(reasonOf('{"__proto__":1,"__proto__":2}')).toBe('repeated')
})
