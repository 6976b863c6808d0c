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

test('a second depth, look at a depth or canonical text is a fault at both places', () => {
  const root = temporaryTree({
    'packages/a/src/a.ts': 'export const MAX_JSON_DEPTH = 64\nfunction isDeeperThan() {}\n',
    'packages/b/src/b.ts': 'const MAX_DEPTH = 32\nconst canonicalJson = () => {}\n',
    'packages/c/src/c.ts': 'const MAX_MESSAGE_DEPTH = MAX_JSON_DEPTH + 8\nconst isDeeperThan = () => {}\n',
  })
  const depth = 'the largest depth of JSON is defined more than once: keep one'
  const look = 'isDeeperThan is defined more than once: keep one'
  expect(oneJsonReader(root)).toEqual([
    { path: 'packages/a/src/a.ts', line: 1, message: depth },
    { path: 'packages/b/src/b.ts', line: 1, message: depth },
    { path: 'packages/a/src/a.ts', line: 2, message: look },
    { path: 'packages/c/src/c.ts', line: 2, message: look },
  ])
})
