import { expect, test } from 'vitest'
import { temporaryTree } from '../temporary-tree.ts'
import { oneJsonReader } from './one-json-reader.ts'

const source = 'const a = JSON.parse(text)\n'

test('the reader itself, tests, build scripts and the identity example may use the parser of the engine', () => {
  const root = temporaryTree({
    'packages/profile/src/parse-json.ts': source,
    'packages/a/src/index.ts': 'parseJson(JSON.stringify(await response.text()))\nresponse.json({ a: 1 })\n',
    'packages/a/src/index.test.ts': source,
    'packages/a/test/harness.ts': source,
    'packages/a/build.ts': source,
    'packages/a/dist/index.js': source,
    'examples/identity/src/main.ts': source,
    'tools/release.ts': source,
    'bench/main.ts': source,
  })
  expect(oneJsonReader(root)).toEqual([])
})

test.each([
  ['JSON.parse(text)', 'JSON.parse'],
  ["JSON['parse'](text)", 'JSON.parse'],
  ['globalThis.JSON.parse(text)', 'JSON.parse'],
  ['lines.map(JSON.parse)', 'JSON.parse'],
  ['const { parse } = JSON', 'JSON.parse'],
  ['await response.json()', 'json()'],
  ['await (await fetch(url)).json()', 'json()'],
  ['response?.json()', 'json()'],
])('%s is a fault with its line', (statement, found) => {
  const root = temporaryTree({
    'packages/a/src/a.ts': `\n${statement}\n`,
    'packages/b/page/b.tsx': `${statement}\n`,
    'examples/c/src/c.ts': '',
  })
  const message = `${found} mixes names with escapes up: use parseJson or parseOwnJson of the profile`
  expect(oneJsonReader(root)).toEqual([
    { path: 'packages/a/src/a.ts', line: 2, message },
    { path: 'packages/b/page/b.tsx', line: 1, message },
  ])
})
