import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { emptyDatabase } from '../tests/empty-database.ts'
import { testSeed } from '../tests/test-seed.ts'

const conditions = ['agentic-source', 'node']

// Stryker uses this in a copy of the repository; `tools/mutation.ts` names the tests of the mutated files.
export default defineConfig({
  root: join(import.meta.dirname, '..'),
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['agentic-source'] } },
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split('\n'),
    env: { SEED: testSeed, AGENTIC_EMPTY_DATABASE: emptyDatabase },
    setupFiles: join(import.meta.dirname, '../tests/seed-properties.ts'),
    // Loading the gateway takes longer than most tests, and every mutant loads it.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Stryker reports the results.
    reporters: [{}],
  },
})
