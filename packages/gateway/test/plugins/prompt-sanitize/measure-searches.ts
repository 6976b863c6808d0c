import { writeFileSync } from 'node:fs'
import type { SanitizeRule } from '../../../src/config/config-schema.ts'
import { compileRules, readSubject } from '../../../src/plugins/prompt-sanitize/compile-rules.ts'
import { createViewReader } from '../../../src/plugins/prompt-sanitize/readable-view.ts'
import { fill } from './hostile-texts.ts'

/** What the program is asked for: the time of one rule for 1 MiB of each text. */
export interface Measurement {
  readonly rule: SanitizeRule
  readonly units: readonly string[]
  /** Below this many milliseconds a time is good enough and not taken again. */
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

/** The best time, tried again only while it is above the limit: a search may be slow until it has been compiled. */
function bestTime(search: () => void, limit: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; best >= limit && i < TRIES; i++) {
    const time = timeOf(search)
    best = Math.min(best, time < limit ? time : time / slowness())
  }
  return best
}

// Ten MiB read character by character take this long on the machine that the limit was set for, when it is idle.
const REFERENCE_MS = 22
const referenceText = fill('a')

/** How much slower the machine is right now: neighbours that share its cores and caches slow every step down. */
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

/** The time that this thread worked: on a busy machine the clock goes on while the thread waits for its turn. */
function workedMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

// Run as a program of its own, `node measure-searches.ts MEASUREMENT RESULT`: the test runner's module loader makes calls
// between modules slower than they are in a gateway.
if (process.argv[1] === import.meta.filename) {
  const [measurement = '', resultFile = ''] = process.argv.slice(2)
  writeFileSync(resultFile, JSON.stringify(measure(JSON.parse(measurement))))
}
