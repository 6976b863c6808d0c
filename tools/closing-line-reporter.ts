import { setImmediate } from 'node:timers/promises'
import type { Reporter, TestModule } from 'vitest/node'

/** The counts of a test run. */
export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Counts tests. A file that does not load and an error outside of tests count as failed. */
export function tally(modules: readonly TestModule[], errorsOutsideTests: number): Tally {
  const states = modules.flatMap((module) =>
    [...module.children.allTests()].map((test) => test.result().state),
  )
  const count = (state: string) => states.filter((each) => each === state).length
  return {
    passed: count('passed'),
    failed: count('failed') + modules.filter(brokeOutsideTests).length + errorsOutsideTests,
    skipped: count('skipped') + count('pending'),
  }
}

// A syntax error or a failing beforeAll fails a file or suite, but none of its tests.
function brokeOutsideTests(module: TestModule): boolean {
  return module.state() === 'failed' && [...module.children.allTests('failed')].length === 0
}

/** The last line of a run, for people and scripts. */
export function closingLine({ passed, failed, skipped }: Tally): string {
  const counts = `${passed} passed, ${failed} failed`
  return skipped === 0 ? counts : `${counts}, ${skipped} skipped`
}

/** Prints the version of Node and, as the very last line, the closing line. */
export function createClosingLineReporter(): Reporter {
  return {
    async onTestRunEnd(modules, errors) {
      const line = closingLine(tally(modules, errors.length))
      // The other reporters write their summary in this turn; the closing line comes after it.
      await setImmediate()
      process.stdout.write(`Node ${process.version}\n${line}\n`)
    },
  }
}
