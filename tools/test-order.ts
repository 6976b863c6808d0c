import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** These files are small, and the stacks and browsers that they start run for long. */
const LONG = /^tests\/(?:approvals|chaos|console)\//
const WHOLE = /^(?:tests|examples)\//
const PACKAGE = /^packages\/[^/]+\/test\//

/**
 * Orders test files that vitest has ordered by size, the largest first. Tests of whole stacks use the processor and those
 * of a package mostly wait: both are mixed from the first file to the last. Long ones begin, so that none is left for the
 * end, where all other workers would have nothing to do. Unit tests take a moment and come last.
 */
export function testOrder<T>(files: readonly T[], pathOf: (file: T) => string): T[] {
  const having = (pattern: RegExp) => files.filter((file) => pattern.test(pathOf(file)))
  const whole = having(WHOLE)
  const isLong = (file: T) => LONG.test(pathOf(file))
  const stacks = [...whole.filter(isLong), ...whole.filter((file) => !isLong(file))]
  const inPackages = having(PACKAGE)
  const share = (all: readonly T[]) => all.map((file, index) => ({ file, at: (index + 0.5) / all.length }))
  const mixed = [...share(stacks), ...share(inPackages)].toSorted((a, b) => a.at - b.at)
  const taken = new Set(mixed.map(({ file }) => file))
  return [...mixed.map(({ file }) => file), ...files.filter((file) => !taken.has(file))]
}

/** Runs test files in the order of `testOrder`. */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Files in a process of their own stay in front.
    const isApart = ({ project }: TestSpecification) => project.config.isolate
    const together = sorted.filter((file) => !isApart(file))
    const { root } = this.ctx.config
    return [...sorted.filter(isApart), ...testOrder(together, ({ moduleId }) => relative(root, moduleId))]
  }
}
