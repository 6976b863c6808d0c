import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { emptyDatabase } from '../tests/empty-database.ts'
import { testSeed } from '../tests/test-seed.ts'
import { sourceAliases } from './source-aliases.ts'

const conditions = ['agentic-source', 'node']
const root = join(import.meta.dirname, '..')

// Stryker uses this in a copy of the repository; `tools/mutation.ts` names the tests of the mutated files. The links of
// `node_modules` lead out of the copy: without the aliases a starter would load the gateway that is not mutated.
export default defineConfig({
  root,
  resolve: { conditions, alias: sourceAliases(root) },
  ssr: { resolve: { conditions, externalConditions: ['agentic-source'] } },
  test: {
    include: (process.env['MUTATION_TESTS'] ?? '').split('\n'),
    env: { SEED: testSeed, AGENTIC_EMPTY_DATABASE: emptyDatabase },
    setupFiles: join(root, 'tests/seed-properties.ts'),
    // Loading the gateway takes longer than most tests, and every mutant loads it.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Stryker reports the results.
    reporters: [{}],
  },
})
