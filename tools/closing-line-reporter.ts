import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** The counts of a test run. */
export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Counts tests. A file that does not load and an error outside of tests count as failed. */
export function tally(modules: readonly TestModule[], errorsOutsideTests: number): Tally {
  const states = testsOf(modules).map((test) => test.result().state)
  const count = (state: string) => states.filter((each) => each === state).length
  return {
    passed: count('passed'),
    failed: count('failed') + modules.filter(brokeOutsideTests).length + errorsOutsideTests,
    skipped: count('skipped') + count('pending'),
  }
}

const testsOf = (modules: readonly TestModule[]): readonly TestCase[] =>
  modules.flatMap((module) => [...module.children.allTests()])

// A syntax error or a failing beforeAll fails a file or suite, but none of its tests.
function brokeOutsideTests(module: TestModule): boolean {
  return module.state() === 'failed' && [...module.children.allTests('failed')].length === 0
}

/** The last line of a run, for people and scripts. */
export function closingLine({ passed, failed, skipped }: Tally): string {
  const counts = `${passed} passed, ${failed} failed`
  return skipped === 0 ? counts : `${counts}, ${skipped} skipped`
}

/** One line per reason of skipped tests, such as a missing program. */
function skippedLines(modules: readonly TestModule[]): string[] {
  const reasons = testsOf(modules)
    .filter((test) => test.result().state === 'skipped')
    .flatMap((test) => reasonOf(test) ?? [])
  return [...Map.groupBy(reasons, (reason) => reason)].map(
    ([reason, { length }]) => `skipped: ${length} ${length === 1 ? 'test' : 'tests'}, because ${reason}`,
  )
}

function reasonOf(test: TestCase): string | undefined {
  const parents = []
  for (let parent = test.parent; parent.type !== 'module'; parent = parent.parent) parents.push(parent)
  return [test, ...parents].map((task) => task.meta().skippedBecause).find((reason) => reason !== undefined)
}

const SLOWEST = 5

/** The files that took longest, with the time from their import to the end of their last test. */
function slowestLine(modules: readonly TestModule[], root: string): string {
  const files = modules
    .map((module) => ({ file: relative(root, module.moduleId), tookMs: durationOf(module) }))
    .toSorted((one, other) => other.tookMs - one.tookMs)
    .slice(0, SLOWEST)
  return `slowest: ${files.map(({ file, tookMs }) => `${file} ${(tookMs / 1000).toFixed(1)} s`).join(', ')}`
}

function durationOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic()
  return collectDuration + duration
}

/** Adds the counts of the run before, which the file has, and writes the sum into it. */
function carriedOver(counts: Tally, file: string): Tally {
  const none: Tally = { passed: 0, failed: 0, skipped: 0 }
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const before: Tally = text === '' ? none : JSON.parse(text)
  const sum: Tally = {
    passed: before.passed + counts.passed,
    failed: before.failed + counts.failed,
    skipped: before.skipped + counts.skipped,
  }
  writeFileSync(file, JSON.stringify(sum))
  return sum
}

/**
 * Prints the reasons of skipped tests, the slowest files, the version of Node and, as the very last line, the closing line.
 * Runs with the same file in AGENTIC_TALLY count together: the closing line of each includes those before it.
 */
export function createClosingLineReporter(): Reporter {
  let root = process.cwd()
  return {
    onInit(vitest) {
      root = vitest.config.root
    },
    async onTestRunEnd(modules, errors) {
      const counts = tally(modules, errors.length)
      const file = process.env['AGENTIC_TALLY']
      const closing = closingLine(file === undefined ? counts : carriedOver(counts, file))
      const lines = [...skippedLines(modules), slowestLine(modules, root), `Node ${process.version}`, closing]
      // The other reporters write their summary in this turn; the closing line comes after it.
      await setImmediate()
      process.stdout.write(lines.map((line) => `${line}\n`).join(''))
    },
  }
}
