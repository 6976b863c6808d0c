import { join } from 'node:path'
import { growth, LINEAR } from '@agentic-rest/testing/cpu-ratio'
import { beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../harness/run-program.ts'
import { detectorNames } from './corpus/figures.ts'
import { hostileTo, hostileToAll, hostileToKeywords } from './hostile-texts.ts'
import { MOST_COST, type Search } from './measure-searches.ts'
import { createSanitizer, everyDetector } from './sanitizing.ts'

const program = join(import.meta.dirname, 'measure-searches.ts')
const inAll = Object.values(hostileToAll)
const many = Array.from({ length: 500 }, (_, n) => `word ${n}`)
const keywords = ['ignore previous instructions', 'aaaa aaab', 'abc', ...many]
const searches: readonly Search[] = [
  ...detectorNames.map((name) => ({
    rule: { name, builtin: name, action: 'redact' as const },
    units: [...inAll, ...hostileTo[name]],
  })),
  {
    rule: { name: 'five hundred keywords', keywords, action: 'redact' },
    units: [...inAll, ...hostileToKeywords],
  },
]

describe('a search through hostile text costs a small multiple of reading it', () => {
  let costs: readonly (readonly number[])[]
  beforeAll(async () => {
    costs = await runProgram(program, JSON.stringify(searches))
  })

  test.each(searches.map(({ rule, units }, index) => ({ name: rule.name, units, index })))(
    '$name',
    ({ units, index }) => {
      expect(costs[index]).toHaveLength(units.length)
      const dear = units.map((unit, n) => ({
        unit: unit.slice(0, 40),
        cost: costs[index]?.[n] ?? Number.NaN,
      }))
      expect(dear.filter(({ cost }) => !(cost < MOST_COST))).toEqual([])
    },
  )
})

describe('the time for a whole body grows with its length and no faster', () => {
  const bodies: Readonly<Record<string, (size: number) => string>> = {
    'strings with a find each': (size) => `[${'"1.1.1.1",'.repeat(size / 10)}0]`,
    'keys that all collide': (size) => `{${'"a@b.co":1,'.repeat(size / 11)}"x":0}`,
    'tiny strings': (size) => `[${'"a",'.repeat(size / 4)}0]`,
    'card numbers': (size) => `[${'4111111111111111,'.repeat(size / 17)}0]`,
    floats: (size) => `[${'0.4532015112830366,'.repeat(size / 19)}0]`,
    'strings that look like JSON': (size) => `[${'"[1.1.1.1]",'.repeat(size / 12)}0]`,
    'JSON in strings': (size) => `[${'"[\\"1.1.1.1\\"]",'.repeat(size / 16)}0]`,
    'JSON in JSON in JSON': (size) =>
      JSON.stringify([JSON.stringify([JSON.stringify(['1.1.1.1 '.repeat(size / 8)])])]),
    'escaped quotes': (size) => `["${'\\"'.repeat(size / 2)}"]`,
    'backslashes in a nested string': (size) => JSON.stringify(['\\'.repeat(size / 2)]),
    'open brackets': (size) => '['.repeat(size),
    'a long key over many values': (size) =>
      `{"phone${'y'.repeat(size / 2)}":[${'5550100,'.repeat(size / 16)}0]}`,
    'placeholders that came with the body': (size) =>
      JSON.stringify('[REDACTED:ipv4] 1.1.1.1 '.repeat(size / 24)),
  }

  test.each(Object.entries(bodies))('%s', async (_title, bodyOf) => {
    const sanitizer = createSanitizer(everyDetector, { maxBodyBytes: 8_388_608 })
    const workOf = (size: number) => {
      const body = bodyOf(size)
      return () => sanitizer.treat(body)
    }
    // All of them are inspected on this thread: larger bodies go to others, which compile the code for themselves.
    expect(await growth({ workOf, size: 24_576 })).toBeLessThan(LINEAR)
  })
})

test('a pattern of an operator takes longer, but time in proportion to the text', async () => {
  const sanitizer = createSanitizer([{ name: 'p', regex: '[a-z]{1,20}[0-9]' }])
  const { answer, replaced } = await sanitizer.treat(JSON.stringify('a'.repeat(262_144)))
  expect({ answer, replaced }).toEqual({ answer: undefined, replaced: 0 })
})
