import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { formatFaults } from '../../src/config/faults.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { MAX_FILE_BYTES } from '../../src/config/parse-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'agentic-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, content: string | Uint8Array): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

function faultsOf(file: string): string {
  const result = loadConfig(file, {})
  return result.ok ? 'valid' : formatFaults(result.faults)
}

test('a file that does not exist is a fault of that file', () => {
  const file = join(folder, 'missing.yaml')
  expect(loadConfig(file, {})).toEqual({
    ok: false,
    faults: [{ file, line: 1, column: 1, path: '', message: 'there is no such file', kind: 'invalid' }],
  })
})

test('a folder is not a file', () => {
  expect(faultsOf(folder)).toBe(`${folder}:1:1: this is a folder, not a file`)
})

test('a file that is not UTF-8 is refused', () => {
  const file = write('latin.yaml', Uint8Array.of(0x23, 0xe9, 0x0a))
  expect(faultsOf(file)).toBe(`${file}:1:1: the file is not UTF-8 text`)
})

test('a name that no file can have is refused', () => {
  expect(faultsOf('a\0b')).toBe('a\0b:1:1: the file cannot be read')
})

test('a file of the largest size is read, one byte more is refused', () => {
  const valid =
    '{ plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }, routes: [] } #'
  expect(faultsOf(write('full.yaml', valid.padEnd(MAX_FILE_BYTES, 'x')))).toBe('valid')
  const file = write('over.yaml', valid.padEnd(MAX_FILE_BYTES + 1, 'x'))
  expect(faultsOf(file)).toBe(`${file}:1:1: the file is larger than 1048576 bytes`)
})

test('size counts in bytes, and a character cut in two by the limit does not hide it', () => {
  const file = write('wide.yaml', `#${'é'.repeat(MAX_FILE_BYTES)}`)
  expect(faultsOf(file)).toBe(`${file}:1:1: the file is larger than 1048576 bytes`)
})

test('an endless file is read no further than the limit', () => {
  expect(faultsOf('/dev/zero')).toBe('/dev/zero:1:1: the file is larger than 1048576 bytes')
})

test('a byte order mark is not part of the configuration', () => {
  expect(
    faultsOf(
      write(
        'bom.yaml',
        '\uFEFF{ plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }, routes: [] }',
      ),
    ),
  ).toBe('valid')
})
