import { writeFileSync } from 'node:fs'
import { timesOfReference } from '@agentic-rest/testing/cpu-ratio'
import type { SanitizeRule } from '../../../src/config/config-schema.ts'
import { compileRules, readSubject } from '../../../src/plugins/prompt-sanitize/compile-rules.ts'
import { createViewReader } from '../../../src/plugins/prompt-sanitize/readable-view.ts'
import { fill } from './hostile-texts.ts'

/** Texts to search with one rule. */
export interface Search {
  readonly rule: SanitizeRule
  readonly units: readonly string[]
}

/** Enough to see a quadratic step: it would take a thousand times the limit. */
const BYTES = 65_536
const SHARE = BYTES / 1_048_576

/** The most that a search may cost. A quadratic step costs thousands, a look at 64 characters from each place over sixty. */
export const MOST_COST = 40

/** The CPU time of each search, as a multiple of the time to read as many characters. */
async function measure({ rule, units }: Search): Promise<number[]> {
  const read = createViewReader()
  const [compiled] = compileRules([rule], read)
  if (compiled === undefined) throw new Error('one rule compiles to one rule')
  const costs: number[] = []
  for (const unit of units) {
    const text = fill(unit, BYTES)
    const work = () => compiled.find(readSubject(text, '', read))
    costs.push((await timesOfReference({ work, below: MOST_COST * SHARE })) / SHARE)
  }
  return costs
}

// A separate program, `node measure-searches.ts SEARCHES RESULT`: the module loader of the test runner makes calls
// between modules slower than in a gateway.
if (process.argv[1] === import.meta.filename) {
  const [searches = '', resultFile = ''] = process.argv.slice(2)
  const costs: number[][] = []
  for (const search of JSON.parse(searches) as Search[]) costs.push(await measure(search))
  writeFileSync(resultFile, JSON.stringify(costs))
}
