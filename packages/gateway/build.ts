import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const source = join(import.meta.dirname, 'src')
const dist = join(import.meta.dirname, 'dist')
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

/** The packages that every start loads. The others are loaded by the configurations that need them. */
const bundled = ['zod', 'yaml', 'find-my-way', 'lru-cache']
const isBundled = (name: string) => bundled.some((each) => name === each || name.startsWith(`${each}/`))
const THIRD_PARTY = 'third-party'
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/

/**
 * The package in a few files instead of four hundred: to find and load them was half of the time of a start. Code of other
 * packages has a file of its own, and stays among the dependencies, where everybody sees which version it is.
 */
const bundle = await rolldown({
  input: {
    index: join(source, 'index.ts'),
    'config/did-you-mean': didYouMean,
    // The program of a thread, found beside the file that starts it.
    'inspection-thread': join(sanitizer, 'inspection-thread.ts'),
  },
  platform: 'node',
  external: (name, importer) =>
    !name.startsWith('.') &&
    !name.startsWith('/') &&
    !isBundled(name) &&
    // The packages that a bundled one needs.
    (name.startsWith('node:') || !importer?.includes('/node_modules/')),
})
const { output } = await bundle.write({
  dir: dist,
  chunkFileNames: '[name].js',
  codeSplitting: {
    groups: [
      { name: THIRD_PARTY, test: /\/node_modules\//, priority: 3 },
      // The command line needs it before it knows whether it needs a gateway.
      { name: 'did-you-mean', test: (id) => id === didYouMean, priority: 2 },
      // A thread must not load the whole gateway.
      { name: 'inspection', test: isForThread, priority: 2 },
      // Stacks name these files: what nearly everything is in is called what it is.
      { name: 'gateway', minShareCount: 2, priority: 1 },
    ],
  },
  // V8 reads all text before it runs any: comments are in the published source.
  comments: { legal: true, jsdoc: false, annotation: false },
  sourcemap: true,
  // The source is published beside it.
  sourcemapExcludeSources: true,
})
await bundle.close()

const chunks = output.filter((file) => file.type === 'chunk')
for (const { fileName } of chunks) escapeInFile(join(dist, fileName))
// Its map would lead to files that are elsewhere in an installation.
rmSync(join(dist, `${THIRD_PARTY}.js.map`))
writeFileSync(join(dist, `${THIRD_PARTY}.txt`), noticesOf(chunks.flatMap(({ moduleIds }) => moduleIds)))

/** One character outside Latin-1 doubles the memory that V8 needs for the text of a file. */
function escapeInFile(file: string): void {
  const text = readFileSync(file, 'utf8').replace(`//# sourceMappingURL=${THIRD_PARTY}.js.map`, '')
  const escaped = text.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  writeFileSync(file, escaped)
}

/** The names, versions and licences of the packages whose code is in `third-party.js`. */
function noticesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((id) => PACKAGE.exec(id) ?? []))
  return [...folders].toSorted().map(noticeOf).join('\n\n')
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = ['LICENSE', 'LICENSE.md', 'license']
    .map((each) => join(folder, each))
    .find((each) => existsSync(each))
  if (file === undefined) throw new Error(`${name} has no licence file`)
  return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`
}
