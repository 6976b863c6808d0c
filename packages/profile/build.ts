import { join } from 'node:path'
import { rolldown } from 'rolldown'

const source = join(import.meta.dirname, 'src')

/** One file for each entry instead of one for each module: every program of this repository loads them when it starts. */
const bundle = await rolldown({
  input: {
    index: join(source, 'index.ts'),
    validate: join(source, 'validate.ts'),
    'admin/index': join(source, 'admin/index.ts'),
    'approval/index': join(source, 'approval/index.ts'),
    'key-set': join(source, 'key-set.ts'),
    span: join(source, 'span.ts'),
  },
  platform: 'neutral',
  external: (name) => !name.startsWith('.') && !name.startsWith('/'),
})
await bundle.write({
  dir: join(import.meta.dirname, 'dist'),
  chunkFileNames: '[name].js',
  codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
  sourcemap: true,
  // The source is published beside it.
  sourcemapExcludeSources: true,
})
await bundle.close()
