import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { createClosingLineReporter } from './tools/closing-line-reporter.ts'

// Packages resolve to their TypeScript source inside this repository and to built JavaScript when installed.
const conditions = ['agentic-source', 'node']

// What takes long and shows again what others show on another kind of store: with AGENTIC_LONG_TESTS=1.
const isLong = process.env['AGENTIC_LONG_TESTS'] === '1'
const longTests = ['tests/stack-on-postgres.test.ts']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['agentic-source'] } },
  test: {
    include: ['packages/**/*.test.ts', 'examples/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts'],
    // Shared machines can be slow: what a test waits for is an event, and this only ends what never comes.
    // Most tests wait for sockets and processes, so both cores of a small machine are worth using.
    maxWorkers: 2,
    testTimeout: 30_000,
    // Hundreds of processes run the same TypeScript; the second of them need not compile it again.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'agentic-test-compile-cache') },
    hookTimeout: 30_000,
    exclude: ['**/node_modules/**', '**/dist/**', ...(isLong ? [] : longTests)],
    reporters: ['default', createClosingLineReporter()],
  },
})
