import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ConfigResult, parseConfig } from '../../src/config/parse-config.ts'

const seed = Number(process.env['SEED'])
const SECRET = 'XK7-never-shown-QZ'
const env = { SECRET, PORT: '8080' }

const files = ['good/', 'bad/'].flatMap((folder) => {
  const url = new URL(folder, import.meta.url)
  const names = readdirSync(url).filter((name) => name.endsWith('.yaml'))
  return names.map((name) => readFileSync(new URL(name, url), 'utf8'))
})
const SNIPPETS = [
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ':',
  ': ',
  '- ',
  '\n',
  '\n  ',
  '\t',
  '&a ',
  '*a',
  '!x ',
  '? ',
  '|\n',
  '${SECRET}',
  '${',
  '<<: ',
  '__proto__: ',
  '%',
  '---\n',
  '#',
  '\0',
  '\u2028',
  '\ud800',
]

const edited = fc
  .record({
    text: fc.constantFrom(...files),
    edits: fc.array(
      fc.record({ at: fc.nat(2000), remove: fc.nat(5), insert: fc.constantFrom('', ...SNIPPETS) }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ text, edits }) =>
    edits.reduce((current, { at, remove, insert }) => {
      const place = at % (current.length + 1)
      return current.slice(0, place) + insert + current.slice(place + remove)
    }, text),
  )

/** What holds for every text: a result, faults in order and inside the text, nothing from the environment shown. */
function expectSaneResult(text: string, result: ConfigResult): void {
  if (result.ok) return
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  expect(result.faults.length).toBeGreaterThan(0)
  const insane = result.faults.filter(({ line, column, message, path }) => {
    const isOutside = line > lines.length || column > (lines[line - 1]?.length ?? 0) + 2
    const shown = `${path} ${message}`
    return isOutside || shown.includes(SECRET) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(shown)
  })
  expect(insane).toEqual([])
  const places = result.faults.map(({ line, column }) => line * 1_000_000 + column)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
}

test(`no edit of a configuration file makes reading it throw or leak (seed ${seed})`, () => {
  fc.assert(
    fc.property(edited, (text) => expectSaneResult(text, parseConfig(text, { file: 'gateway.yaml', env }))),
    { seed, numRuns: 500 },
  )
})

test(`no text at all makes reading it throw (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) =>
      expectSaneResult(text, parseConfig(text, { file: 'gateway.yaml', env })),
    ),
    { seed, numRuns: 500 },
  )
})

test('reading a hostile file changes no prototype', () => {
  const before = Object.getOwnPropertyNames(Object.prototype)
  const text = readFileSync(new URL('bad/proto-keys.yaml', import.meta.url), 'utf8')
  expect(parseConfig(text, { file: 'gateway.yaml', env }).ok).toBe(false)
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
  expect({}).not.toHaveProperty('polluted')
})
