import { join } from 'node:path'
import { rolldown } from 'rolldown'

const source = join(import.meta.dirname, 'src')
const sanitizer = join(source, 'plugins/prompt-sanitize')
const didYouMean = join(source, 'config/did-you-mean.ts')

const usedByThread = ['errors.ts', 'config/schema/rule-pattern.ts'].map((path) => join(source, path))
// The entry too: the gateway would run it by importing the code beside it.
const notShared = [
  'prompt-sanitize.ts',
  'inspection-pool.ts',
  'inspection-thread.ts',
  'inspect-target.ts',
  'body-kind.ts',
]

function isForThread(id: string): boolean {
  if (!id.startsWith(sanitizer)) return usedByThread.includes(id)
  return !notShared.some((path) => id === join(sanitizer, path))
}

/**
 * The package in a few files instead of two hundred: to find and load them was a fifth of the time of a start. Code of
 * others stays where npm puts it, where everybody sees which version it is.
 */
const bundle = await rolldown({
  input: {
    index: join(source, 'index.ts'),
    'config/did-you-mean': didYouMean,
    // The program of a thread, found beside the file that starts it.
    'inspection-thread': join(sanitizer, 'inspection-thread.ts'),
  },
  platform: 'node',
  external: (name) => !name.startsWith('.') && !name.startsWith('/'),
})
await bundle.write({
  dir: join(import.meta.dirname, 'dist'),
  chunkFileNames: '[name].js',
  codeSplitting: {
    groups: [
      // The command line needs it before it knows whether it needs a gateway.
      { name: 'did-you-mean', test: (id) => id === didYouMean, priority: 2 },
      // A thread must not load the whole gateway.
      { name: 'inspection', test: isForThread, priority: 2 },
      // Stacks name these files: what nearly everything is in is called what it is.
      { name: 'gateway', minShareCount: 2, priority: 1 },
    ],
  },
  sourcemap: true,
  // The source is published beside it.
  sourcemapExcludeSources: true,
})
await bundle.close()
