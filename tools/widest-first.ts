import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** How much a test file starts, by its place: whole stacks, parts of one, or only the code beside it. */
export function widthOf(file: string): number {
  if (/^(?:tests|examples)\//.test(file)) return 2
  return /^packages\/[^/]+\/test\//.test(file) ? 1 : 0
}

/**
 * Orders the files of a run: those that start whole stacks first, unit tests last. Vitest alone begins with the largest
 * files, so that a small file that takes a minute runs at the end, while all other workers have nothing to do.
 */
export class WidestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    // Files in a process of their own stay in front.
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.config.isolate ? 3 : widthOf(relative(root, moduleId))
    return (await super.sort(files)).toSorted((a, b) => rank(b) - rank(a))
  }
}
