import { writeFileSync } from 'node:fs'
import type { SanitizeRule } from '../../../src/config/config-schema.ts'
import { compileRules, readSubject } from '../../../src/plugins/prompt-sanitize/compile-rules.ts'
import { createViewReader } from '../../../src/plugins/prompt-sanitize/readable-view.ts'
import { referenceTime } from '../../harness/reference-time.ts'
import { fill } from './hostile-texts.ts'

/** The order to the program: measure one rule with 1 MiB of each text. */
export interface Measurement {
  readonly rule: SanitizeRule
  readonly units: readonly string[]
  /** A time below this many milliseconds is not measured again. */
  readonly limit: number
}

function measure({ rule, units, limit }: Measurement): number[] {
  const read = createViewReader()
  const [compiled] = compileRules([rule], read)
  if (compiled === undefined) throw new Error('one rule compiles to one rule')
  return units.map((unit) => {
    const text = fill(unit)
    return referenceTime(() => void compiled.find(readSubject(text, '', read)), limit)
  })
}

// A separate program, `node measure-searches.ts MEASUREMENT RESULT`: the module loader of the test runner makes calls
// between modules slower than in a gateway.
if (process.argv[1] === import.meta.filename) {
  const [measurement = '', resultFile = ''] = process.argv.slice(2)
  writeFileSync(resultFile, JSON.stringify(measure(JSON.parse(measurement))))
}
