import { defineConfig, mergeConfig } from 'vitest/config'
import base, { exclude, includeLong } from './vitest.config.ts'

// A configuration of its own: `npx vitest run FOLDER` must not begin hours of work.
const { projects: _, ...test } = base.test ?? {}

export default mergeConfig(
  { ...base, test },
  defineConfig({
    test: {
      name: 'long',
      include: includeLong,
      exclude,
      globalSetup: './packages/testing/src/shared-parts.ts',
      env: { AGENTIC_LONG_TESTS: '1' },
    },
  }),
)
