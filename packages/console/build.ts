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
// Tests set NODE_ENV, which would give another build.
process.env['NODE_ENV'] = 'production'
await buildPage(resolve(target))

/** Builds the page in a temporary folder and renames it, so that readers see all files or none. */
async function buildPage(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true })
  const draft = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`))
  try {
    await bundle(draft)
    compress(draft)
    // A temporary folder is private, but another user may serve the page.
    chmodSync(draft, 0o755)
    renameSync(draft, folder)
  } catch (error) {
    // Another process was faster, with the same files.
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
      // Keeps `light-dark()`; support for older browsers would need each colour twice.
      target: ['chrome125', 'firefox125', 'safari17.5'],
      modulePreload: { polyfill: false },
      // The content security policy of the admin listener forbids `data:` addresses.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  })
}

/** Writes compressed copies of each text file, so that the gateway need not compress. */
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
