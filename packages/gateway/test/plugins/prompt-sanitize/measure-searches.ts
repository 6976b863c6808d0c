import { writeFileSync } from 'node:fs'
import type { SanitizeRule } from '../../../src/config/config-schema.ts'
import { compileRules, readSubject } from '../../../src/plugins/prompt-sanitize/compile-rules.ts'
import { createViewReader } from '../../../src/plugins/prompt-sanitize/readable-view.ts'
import { fill } from './hostile-texts.ts'

/** The order to the program: measure one rule with 1 MiB of each text. */
export interface Measurement {
  readonly rule: SanitizeRule
  readonly units: readonly string[]
  /** A time below this many milliseconds is not measured again. */
  readonly limit: number
}

const TRIES = 12

function measure({ rule, units, limit }: Measurement): number[] {
  const read = createViewReader()
  const [compiled] = compileRules([rule], read)
  if (compiled === undefined) throw new Error('one rule compiles to one rule')
  return units.map((unit) => {
    const text = fill(unit)
    return bestTime(() => void compiled.find(readSubject(text, '', read)), limit)
  })
}

/** The best time; measured again only above the limit, because a search is slow until V8 has compiled it. */
function bestTime(search: () => void, limit: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; best >= limit && i < TRIES; i++) {
    const time = timeOf(search)
    best = Math.min(best, time < limit ? time : time / slowness())
  }
  return best
}

// The time to read ten MiB character by character on the idle reference machine of the limit.
const REFERENCE_MS = 22
const referenceText = fill('a')

/** The slowdown of the machine right now, by other processes on its cores and caches. */
function slowness(): number {
  return Math.max(1, timeOf(readReference) / REFERENCE_MS)
}

function readReference(): number {
  let digits = 0
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < referenceText.length; i++) if (referenceText.charCodeAt(i) === 0x30) digits++
  }
  return digits
}

function timeOf(task: () => void): number {
  const start = workedMilliseconds()
  task()
  return workedMilliseconds() - start
}

/** The CPU time of this thread: on a busy machine the wall clock also counts waiting. */
function workedMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

// A separate program, `node measure-searches.ts MEASUREMENT RESULT`: the module loader of the test runner makes calls
// between modules slower than in a gateway.
if (process.argv[1] === import.meta.filename) {
  const [measurement = '', resultFile = ''] = process.argv.slice(2)
  writeFileSync(resultFile, JSON.stringify(measure(JSON.parse(measurement))))
}
