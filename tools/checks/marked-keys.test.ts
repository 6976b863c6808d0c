import { expect, test } from 'vitest'
import { markedKeys } from './marked-keys.ts'

const key = (path: string, type: string) => ({ path, type, default: 'absent', description: '' })

test('every key of the configuration that is named like a file or a secret is marked', () => {
  expect(markedKeys()).toEqual([])
})

test.each([
  ['a.cert_file', 'text', 'the key a.cert_file is named like a file: use file() or secretFile()'],
  [
    'a[].key_files',
    'list of texts',
    'the key a[].key_files is named like a file: use file() or secretFile()',
  ],
  ['a.headers', 'map of texts by name', 'the key a.headers is named like a secret: use secret()'],
  [
    'a.client_secret',
    'text, at least 9 characters',
    'the key a.client_secret is named like a secret: use secret()',
  ],
])('%s, a %s, is a fault', (path, type, message) => {
  expect(markedKeys([key(path, type)])).toEqual([
    { path: 'packages/gateway/src/config/schema', line: 1, message },
  ])
})

test.each([
  ['a.cert_file', 'file name'],
  ['a.client_secret', 'secret'],
  ['a.secrets_kept', 'integer, 0 to 9'],
  ['a.profile', 'text'],
])('%s, a %s, is none', (path, type) => {
  expect(markedKeys([key(path, type)])).toEqual([])
})
