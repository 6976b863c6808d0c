import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runProgram } from '../../harness/run-program.ts'
import { detectorNames } from './corpus/figures.ts'
import { hostileTo, hostileToAll, hostileToKeywords } from './hostile-texts.ts'
import type { Measurement } from './measure-searches.ts'
import { createSanitizer, everyDetector, type TestRule } from './sanitizing.ts'

const LIMIT_MS = 50
const program = join(import.meta.dirname, 'measure-searches.ts')

/** The time of one search through 1 MiB of each text, measured in a separate process. */
async function searchTimes(rule: TestRule, units: readonly string[]): Promise<Record<string, number>> {
  const measurement: Measurement = { rule: { action: 'redact', ...rule }, units, limit: LIMIT_MS }
  const times = await runProgram<number[]>(program, JSON.stringify(measurement))
  return Object.fromEntries(units.map((unit, n) => [unit.slice(0, 40), times[n] ?? Number.NaN]))
}

function slowOnes(times: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(times).filter(([, time]) => !(time < LIMIT_MS)))
}

describe('a search through 1 MiB of hostile text takes less than 50 ms', () => {
  test.each(detectorNames)('%s', async (name) => {
    const units = [...Object.values(hostileToAll), ...hostileTo[name]]
    const times = await searchTimes({ name, builtin: name }, units)
    expect(Object.keys(times)).toHaveLength(units.length)
    expect(slowOnes(times)).toEqual({})
  })

  test('keywords, five hundred of them', async () => {
    const many = Array.from({ length: 500 }, (_, n) => `word ${n}`)
    const keywords = ['ignore previous instructions', 'aaaa aaab', 'abc', ...many]
    const times = await searchTimes({ name: 'k', keywords }, [
      ...Object.values(hostileToAll),
      ...hostileToKeywords,
    ])
    expect(slowOnes(times)).toEqual({})
  })
})

/** Time in proportion to the length, with a wide margin: a quadratic step would take 64 times as long for 8 times the length. */
const MOST_GROWTH = 24

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

  /** The best of three times, or the first that is good enough. */
  async function treatmentTime(body: string, goodEnough = 0): Promise<number> {
    const sanitizer = createSanitizer(everyDetector, { maxBodyBytes: 8_388_608 })
    let best = Number.POSITIVE_INFINITY
    for (let count = 0; count < 3 && best >= goodEnough; count++) {
      const start = process.threadCpuUsage()
      await sanitizer.treat(body)
      const { user, system } = process.threadCpuUsage(start)
      best = Math.min(best, (user + system) / 1000)
    }
    return best
  }

  test.each(Object.entries(bodies))('%s', async (_title, bodyOf) => {
    await treatmentTime(bodyOf(65_536))
    const small = await treatmentTime(bodyOf(131_072))
    // Short times are inexact: the CPU clock of a thread may tick every 4 ms.
    const most = Math.max(small, 8) * MOST_GROWTH
    expect(await treatmentTime(bodyOf(1_048_576), most)).toBeLessThan(most)
  })
})

test('a pattern of an operator takes longer, but time in proportion to the text', async () => {
  const sanitizer = createSanitizer([{ name: 'p', regex: '[a-z]{1,20}[0-9]' }])
  const { answer, replaced } = await sanitizer.treat(JSON.stringify('a'.repeat(262_144)))
  expect({ answer, replaced }).toEqual({ answer: undefined, replaced: 0 })
})
