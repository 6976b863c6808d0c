import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closingLine } from './closing-line-reporter.ts'
import { scratchFolder, temporaryTree } from './temporary-tree.ts'

const config = `
import { createClosingLineReporter } from '../../tools/closing-line-reporter.ts'
export default { test: { include: ['*.case.ts'], reporters: ['default', createClosingLineReporter()] } }
`

function lastLinesOf(cases: Record<string, string>): { lines: string[]; status: number | null } {
  const root = temporaryTree({ 'vitest.config.ts': config, ...cases }, scratchFolder)
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  const { stdout, status } = spawnSync(process.execPath, [vitest, 'run', '--root', root], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  return { lines: stdout.split('\n').slice(-3), status }
}

test('the closing line leaves out a count of zero skipped tests', () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed')
})

test('the closing line counts skipped tests', () => {
  expect(closingLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped')
})

test('a run that passes ends with the version of Node and the closing line alone', () => {
  const { lines, status } = lastLinesOf({
    'a.case.ts': "import { test } from 'vitest'\ntest('a', () => {})\ntest('b', () => {})\n",
  })
  expect(lines).toEqual([`Node ${process.version}`, '2 passed, 0 failed', ''])
  expect(status).toBe(0)
})

test('failures, skips, files that do not load and errors outside of tests are all counted', () => {
  const { lines, status } = lastLinesOf({
    'fails.case.ts':
      "import { test } from 'vitest'\ntest('a', () => { throw new Error('x') })\ntest.skip('b', () => {})\ntest('c', () => {})\n",
    'does-not-load.case.ts': "import './missing.ts'\n",
    'unhandled.case.ts':
      "import { test } from 'vitest'\ntest('d', () => { void Promise.reject(new Error('y')) })\n",
  })
  expect(lines).toEqual([`Node ${process.version}`, '2 passed, 3 failed, 1 skipped', ''])
  expect(status).toBe(1)
})
