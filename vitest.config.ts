import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { emptyDatabase } from './tests/empty-database.ts'
import { testSeed } from './tests/test-seed.ts'
import { createClosingLineReporter } from './tools/closing-line-reporter.ts'

// Packages resolve to their TypeScript source inside this repository and to built JavaScript when installed.
const conditions = ['agentic-source', 'node']

// The name of a file says in which set it is. Tests of `npm test` need nothing but this repository and its node_modules.
const include = ['packages/**/*.test.ts', 'examples/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts']
const includeAll = ['{packages,examples,tools,tests}/**/*.all.test.ts']
export const includeLong = ['{packages,examples,tools,tests}/**/*.long.test.ts']
export const exclude = ['**/node_modules/**', '**/dist/**', 'packages/cli/template/**']

// These replace a module, keep a database in one, or measure what the whole process has or has compiled, so each gets a process
// of its own.
// All others share three: to start one and to load the gateway into it takes longer than most files take.
const apart = [
  'packages/profile/test/compiled-reader.test.ts',
  'packages/gateway/src/limits/in-flight/active-exchanges.test.ts',
  'packages/gateway/test/plugin-failure.test.ts',
  'packages/gateway/test/{client-disconnect,idle-connections,vendor-encoding}.test.ts',
  'packages/gateway/test/reload/{bad-files,nothing-left}.test.ts',
  'packages/service/test/close.test.ts',
  'packages/service/test/streams/nothing-left.test.ts',
  'packages/conformance/test/hostile-services.test.ts',
  'examples/campaigns/test/{requests,runs}.test.ts',
]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['agentic-source'] } },
  test: {
    // Most tests wait for sockets and processes, so that three of them keep the two cores of a small machine busy.
    maxWorkers: 3,
    // Without V8's optimising compiler for WebAssembly an embedded database starts in half the time.
    execArgv: ['--liftoff-only'],
    // Tests wait for events. These limits only end a wait for an event that never comes; on a busy machine some tests need
    // minutes. No test has a limit of its own below this.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    env: {
      SEED: testSeed,
      // Hundreds of processes run the same TypeScript; the second of them need not compile it again. One folder per user:
      // another one could not write into it.
      NODE_COMPILE_CACHE: join(tmpdir(), `agentic-test-compile-cache-${userInfo().uid}`),
      AGENTIC_EMPTY_DATABASE: emptyDatabase,
    },
    setupFiles: './tests/seed-properties.ts',
    globalSetup: './tests/empty-database.ts',
    // `npm run coverage`: what the tests of the two packages run in their own process. Programs that they start do not count.
    coverage: {
      provider: 'v8',
      include: ['packages/{gateway,service}/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: [['text', { skipFull: true }], 'json-summary'],
      thresholds: { lines: 95 },
      // A test that fails hides a test that is missing otherwise.
      reportOnFailure: true,
    },
    reporters: ['default', createClosingLineReporter()],
    projects: [
      {
        extends: true,
        test: {
          name: 'test',
          include,
          exclude: [...exclude, ...apart, ...includeAll, ...includeLong],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'test-apart', include: apart, exclude } },
      {
        extends: true,
        test: {
          name: 'all',
          include: includeAll,
          exclude,
          isolate: false,
          globalSetup: ['./tests/empty-database.ts', './packages/testing/src/shared-parts.ts'],
        },
      },
    ],
  },
})
