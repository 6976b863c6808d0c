import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closingLine } from './closing-line-reporter.ts'
import { scratchFolder, temporaryTree } from './temporary-tree.ts'

const config = `
import { createClosingLineReporter } from '../../tools/closing-line-reporter.ts'
export default { test: { include: ['*.case.ts'], reporters: ['default', createClosingLineReporter()] } }
`
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')

interface Run {
  /** The lines from the first one of this reporter on. */
  readonly lines: readonly string[]
  readonly status: number | null
}

function runCases(cases: Record<string, string>, env: NodeJS.ProcessEnv = {}): Run {
  const root = temporaryTree({ 'vitest.config.ts': config, ...cases }, scratchFolder)
  const { stdout, status } = spawnSync(process.execPath, [vitest, 'run', '--root', root], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', AGENTIC_TALLY: undefined, ...env },
  })
  const lines = stdout.trimEnd().split('\n')
  return { lines: lines.slice(lines.findIndex((line) => /^(skipped|slowest): /.test(line))), status }
}

const passing = "import { test } from 'vitest'\ntest('a', () => {})\ntest('b', () => {})\n"
const isVersion = `Node ${process.version}`

test('the closing line leaves out a count of zero skipped tests', () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed')
})

test('the closing line counts skipped tests', () => {
  expect(closingLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped')
})

test('a run that passes ends with its slowest files, the version of Node and the closing line alone', () => {
  const files = Array.from({ length: 6 }, (_, n) => `file-${n}.case.ts`)
  const { lines, status } = runCases(Object.fromEntries(files.map((file) => [file, passing])))
  const five = Array.from({ length: 5 }, () => 'file-\\d\\.case\\.ts \\d+\\.\\d s').join(', ')
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^slowest: ${five}$`)),
    isVersion,
    '12 passed, 0 failed',
  ])
  expect(status).toBe(0)
})

test('failures, skips, files that do not load and errors outside of tests are all counted', () => {
  const { lines, status } = runCases({
    'fails.case.ts':
      "import { test } from 'vitest'\ntest('a', () => { throw new Error('x') })\ntest.skip('b', () => {})\ntest('c', () => {})\n",
    'does-not-load.case.ts': "import './missing.ts'\n",
    'unhandled.case.ts':
      "import { test } from 'vitest'\ntest('d', () => { void Promise.reject(new Error('y')) })\n",
  })
  expect(lines.slice(1)).toEqual([isVersion, '2 passed, 3 failed, 1 skipped'])
  expect(status).toBe(1)
})

test('each reason of skipped tests is named once, with the tests of a whole group counted', () => {
  const noRedis = "{ meta: { skippedBecause: 'redis-server is missing; npm run test:setup installs it' } }"
  const noRoot = "{ meta: { skippedBecause: 'only root may do this' } }"
  const { lines, status } = runCases({
    'one.case.ts': `import { describe, test } from 'vitest'
test.skip('a', ${noRedis}, () => {})
describe.skip('b', ${noRedis}, () => { test('c', () => {}); describe('d', () => test('e', () => {})) })
`,
    'other.case.ts': `import { test } from 'vitest'\ntest.skip('f', ${noRoot}, () => {})\ntest('g', () => {})\n`,
  })
  expect(lines.slice(0, 2).toSorted()).toEqual([
    'skipped: 1 test, because only root may do this',
    'skipped: 3 tests, because redis-server is missing; npm run test:setup installs it',
  ])
  expect(lines.at(-1)).toBe('1 passed, 0 failed, 4 skipped')
  expect(status).toBe(0)
})

test('runs with the same tally file count together', () => {
  const tally = join(temporaryTree({}), 'tally')
  expect(runCases({ 'a.case.ts': passing }, { AGENTIC_TALLY: tally }).lines.at(-1)).toBe('2 passed, 0 failed')
  const failing = "import { test } from 'vitest'\ntest('a', () => { throw new Error('x') })\n"
  const second = runCases({ 'a.case.ts': failing, 'b.case.ts': passing }, { AGENTIC_TALLY: tally })
  expect(second).toMatchObject({ status: 1, lines: expect.arrayContaining(['4 passed, 1 failed']) })
})
