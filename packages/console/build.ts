import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const target = process.argv[2]
if (target === undefined) throw new TypeError('usage: node build.ts FOLDER')
// A test that is the first to need the page would otherwise get another one than everybody else.
process.env['NODE_ENV'] = 'production'
await buildPage(resolve(target))

/** Builds the page beside the folder and moves it there: whoever looks sees all of it or nothing. */
async function buildPage(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true })
  const draft = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`))
  try {
    await bundle(draft)
    compress(draft)
    // A temporary folder is its maker's alone; whoever serves the page may be somebody else.
    chmodSync(draft, 0o755)
    renameSync(draft, folder)
  } catch (error) {
    // Somebody else was faster, with the same files.
    if (!isTaken(error)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function bundle(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: join(import.meta.dirname, 'page'),
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    resolve: { conditions: ['agentic-source', 'module', 'browser', 'production'] },
    build: {
      outDir,
      emptyOutDir: true,
      // `light-dark()` is kept as it is written; older browsers would need each colour twice.
      target: ['chrome125', 'firefox125', 'safari17.5'],
      modulePreload: { polyfill: false },
      // The content security policy of the admin listener allows files, and no `data:` addresses.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  })
}

/** Small forms beside each text file, so that the gateway never spends time on compressing. */
function compress(folder: string): void {
  for (const file of globSync('**/*.{html,js,css,svg}', { cwd: folder })) {
    const path = join(folder, file)
    const content = readFileSync(path)
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
  }
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOTEMPTY' || code === 'EEXIST'
}
