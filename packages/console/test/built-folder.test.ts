import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { consoleFolder } from '@agentic-rest/console'
import { afterAll, expect, test } from 'vitest'

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

test('two that build at once both get the whole folder, and leave nothing else', async () => {
  const folder = join(work, 'page')
  const build = async () => {
    const args = ['--conditions=agentic-source', join(import.meta.dirname, '../build.ts'), folder]
    const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close')
    return code
  }
  expect(await Promise.all([build(), build()])).toEqual([0, 0])
  expect(filesIn(folder)).toEqual(filesIn(consoleFolder))
  expect(readdirSync(work)).toEqual(['page'])
})
