import { execFile } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { consoleFolder } from '@agentic-rest/console'
import { afterAll, expect, test } from 'vitest'

const repositoryRoot = join(import.meta.dirname, '../../..')
const MAX_COMPRESSED_BYTES = 200_000

const work = mkdtempSync(join(tmpdir(), 'agentic-console-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()

test('the page is smaller than 200 kB, compressed, with everything it loads', () => {
  const compressed = filesIn(consoleFolder)
    .filter((file) => file.endsWith('.gz'))
    .map((file) => readFileSync(join(consoleFolder, file)).length)
  const bytes = compressed.reduce((sum, length) => sum + length, 0)
  process.stderr.write(`console: ${bytes} bytes compressed with gzip in ${compressed.length} files\n`)
  expect(compressed.length).toBeGreaterThanOrEqual(4)
  expect(bytes).toBeLessThan(MAX_COMPRESSED_BYTES)
})

test('each file has two small forms with the same content', () => {
  const plain = filesIn(consoleFolder).filter((file) => !/\.(gz|br)$/.test(file))
  expect(plain).toContain('index.html')
  for (const file of plain) {
    const content = readFileSync(join(consoleFolder, file))
    expect(gunzipSync(readFileSync(join(consoleFolder, `${file}.gz`)))).toEqual(content)
    expect(brotliDecompressSync(readFileSync(join(consoleFolder, `${file}.br`)))).toEqual(content)
  }
})

test('nothing in it comes from elsewhere, and nothing is inline', () => {
  const page = readFileSync(join(consoleFolder, 'index.html'), 'utf8')
  const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
  expect(addresses.length).toBeGreaterThanOrEqual(3)
  for (const address of addresses) expect(address).toMatch(/^\/assets\/[\w-]+\.(js|css|svg)$/)
  expect(page).not.toMatch(/<style|<script>|\sstyle=|\son\w+=/)
  const style = filesIn(consoleFolder).find((file) => file.endsWith('.css')) ?? ''
  expect(readFileSync(join(consoleFolder, style), 'utf8')).not.toMatch(/url\(|@import|@font-face/)
})

/** The packages in a copy without a build. */
function freshCopy(): string {
  const packages = join(work, 'packages')
  const isBuilt = /\/(dist|\.agentic|node_modules)$/
  for (const name of ['console', 'client', 'profile']) {
    const source = join(repositoryRoot, 'packages', name)
    cpSync(source, join(packages, name), { recursive: true, filter: (path) => !isBuilt.test(path) })
  }
  symlinkSync(join(repositoryRoot, 'node_modules'), join(work, 'node_modules'))
  return packages
}

async function importIn(packages: string): Promise<string> {
  const module = pathToFileURL(join(packages, 'console/src/in-repository.ts')).href
  const program = `console.log((await import(${JSON.stringify(module)})).consoleFolder)`
  const args = ['--conditions=agentic-source', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.trim()
}

test('the first to import it build it, at once if they have to; a change of the sources builds another', async () => {
  const packages = freshCopy()
  const [first, second] = await Promise.all([importIn(packages), importIn(packages)])
  expect(first).toBe(second)
  expect(filesIn(first ?? '')).toEqual(filesIn(consoleFolder))
  expect(readdirSync(join(packages, 'console/.agentic'))).toEqual([basename(first ?? '')])
  appendFileSync(join(packages, 'console/page/styles/base.css'), '.another { color: red }')
  utimesSync(first ?? '', 0, 0)
  const changed = await importIn(packages)
  expect(changed).not.toBe(first)
  // A new build removes folders older than an hour.
  expect(readdirSync(join(packages, 'console/.agentic'))).toEqual([basename(changed)])
})
