import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { emptyDatabase } from '../tests/empty-database.ts'
import { testSeed } from '../tests/test-seed.ts'

const conditions = ['agentic-source', 'node']

// Stryker runs this in a copy of the repository, with the tests that `tools/mutation.ts` names for what is mutated.
export default defineConfig({
  root: join(import.meta.dirname, '..'),
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['agentic-source'] } },
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split('\n'),
    env: { SEED: testSeed, AGENTIC_EMPTY_DATABASE: emptyDatabase },
    setupFiles: join(import.meta.dirname, '../tests/seed-properties.ts'),
    // To load the gateway takes longer than most tests, and every mutant needs it.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Stryker tells what it found.
    reporters: [{}],
  },
})
