import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundle } from './bundle.ts'

const MAX_COMPRESSED_BYTES = 12_000

test('the client is smaller than 12 kB, minified and compressed', async () => {
  const script = await bundle(join(import.meta.dirname, '../../packages/client/src/index.ts'))
  const compressed = gzipSync(script, { level: 9 }).length
  process.stderr.write(`client: ${script.length} bytes minified, ${compressed} compressed with gzip\n`)
  expect(compressed).toBeLessThan(MAX_COMPRESSED_BYTES)
  expect(script).toContain('UNSUPPORTED_PROFILE_VERSION')
  // No Node modules and no dynamic imports.
  expect(script).not.toMatch(/\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b/)
})
