import { expect, test } from 'vitest'
import { temporaryTree } from '../temporary-tree.ts'
import { firstTestSet } from './first-test-set.ts'

const rename = 'rename the test to *.all.test.ts'

test('a test that starts Node and imports starters of the repository is clean', () => {
  const root = temporaryTree({
    'packages/a/test/one.test.ts':
      "import { startGateway } from '@agentic-rest/testing/start-gateway'\nspawn(process.execPath, ['x.ts'])\nspawn('npm', ['start'])\n",
    'packages/testing/src/start-gateway.ts': 'export function startGateway() {}\n',
  })
  expect(firstTestSet(root)).toEqual([])
})

test('a test of another set may start anything', () => {
  const root = temporaryTree({
    'tests/one.all.test.ts': "import { chromium } from 'playwright-core'\nspawn('redis-server', [])\n",
    'tests/two.long.test.ts': "spawnSync('apt-get', ['install', 'x'])\n",
  })
  expect(firstTestSet(root)).toEqual([])
})

test('an installer, a browser and a server program are faults with their line', () => {
  const root = temporaryTree({
    'tests/installs.test.ts': "spawnSync('apt-get', ['install', 'x'])\nexecFile('/usr/bin/pip', [])\n",
    'tests/browser.test.ts': "import { chromium } from 'playwright-core'\n",
    'tests/server.test.ts':
      "// é\nchild_process.spawn('redis-server', [])\nexecSync('python3 -m http.server')\n",
  })
  expect(firstTestSet(root)).toEqual([
    {
      path: 'tests/browser.test.ts',
      line: 1,
      message: `npm test has no programs for playwright-core: ${rename}`,
    },
    { path: 'tests/installs.test.ts', line: 1, message: `npm test may not start apt-get: ${rename}` },
    { path: 'tests/installs.test.ts', line: 2, message: `npm test may not start pip: ${rename}` },
    { path: 'tests/server.test.ts', line: 2, message: `npm test may not start redis-server: ${rename}` },
    { path: 'tests/server.test.ts', line: 3, message: `npm test may not start python3: ${rename}` },
  ])
})

test('a fault in a file that a test imports by a detour is found, and one in a program of its own is not', () => {
  const root = temporaryTree({
    'tests/one.test.ts': "import './harness.ts'\nimport '../chaos/run.ts'\n",
    'tests/harness.ts': "import '@agentic-rest/testing/with-redis'\n",
    'packages/testing/src/with-redis.ts': "import { testWith } from './test-with.ts'\n",
    'chaos/run.ts': "spawn('redis-server', [])\n",
  })
  expect(firstTestSet(root)).toEqual([
    {
      path: 'packages/testing/src/with-redis.ts',
      line: 1,
      message: `npm test has no programs for ./test-with.ts: ${rename}`,
    },
  ])
})
