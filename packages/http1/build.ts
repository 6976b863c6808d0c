import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** One file instead of one for each module: every gateway loads it when it starts. */
const bundle = await rolldown({
  input: join(import.meta.dirname, 'src/index.ts'),
  platform: 'node',
  external: /^node:/,
})
await bundle.write({
  dir: join(import.meta.dirname, 'dist'),
  sourcemap: true,
  // The source is published beside it.
  sourcemapExcludeSources: true,
})
await bundle.close()
