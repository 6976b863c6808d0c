import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** One file instead of one for each module: gateways with sealed records load it when they start. */
const bundle = await rolldown({
  input: join(import.meta.dirname, 'src/index.ts'),
  platform: 'node',
  external: (name) => !name.startsWith('.') && !name.startsWith('/'),
})
await bundle.write({
  dir: join(import.meta.dirname, 'dist'),
  sourcemap: true,
  // The source is published beside it.
  sourcemapExcludeSources: true,
})
await bundle.close()
