import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { namedThings } from './named-things.ts'

const repo = {
  'package.json': '{ "scripts": { "check": "true" } }',
  'packages/profile/package.json':
    '{ "name": "@agentic-rest/profile", "exports": { ".": "./a.js", "./validate": "./b.js", "./schemas/*": "./s/*" } }',
  'packages/cli/package.json': '{ "name": "agentic-rest", "exports": { ".": "./a.js" } }',
  'docs/decisions/README.md': '',
  'docs/decisions/0003-malformed-http.md': '',
  'docs/decisions/0018-tenant-resolution.md': '',
  'docs/decisions/0020-licenses.md': '',
}

function faultsOf(path: string, text: string): string[] {
  return namedThings(temporaryTree({ ...repo, [path]: text })).map(formatFault)
}

test.each([
  'decision 3, decisions 3 and 18, decisions 3, 18 and 20, decisions 18 to 20, Decision 18',
  'a decision of 30 people, decision by 4, decisions',
  '`packages/profile`, `docs/decisions/0003-malformed-http.md`, `docs/decisions/dep-NAME.md`, `packages/*/README.md`',
  '`packages/profile/schemas/v0.N`, `src/a.ts`, docs/decisions/README.md',
  '`@agentic-rest/profile`, `@agentic-rest/profile/validate`, `@agentic-rest/profile/schemas/v0.3/error.json`, @agentic-rest/',
  '`npm run check` and `npm run --silent check`',
  '`npm run typecheck` in a project',
  'the methods `tools/call` and `tools/list` of MCP',
])('everything that is named is there: %s', (text) => {
  expect(faultsOf('docs/a.md', text)).toEqual([])
})

test.each([
  ['a decision 3\nand decision 4', 2, 'decision 4 has no record in docs/decisions'],
  ['decisions 3 and 19', 1, 'decision 19 has no record in docs/decisions'],
  ['decisions 3, 18 and\n19', 1, 'decision 19 has no record in docs/decisions'],
  ['see docs/decisions/0004-x.md', 1, 'docs/decisions/0004-x.md is not there'],
  ['the file `packages/profile/src/a.ts`', 1, 'packages/profile/src/a.ts is not there'],
  ['`@agentic-rest/client`', 1, '@agentic-rest/client is no package of this repository'],
  [
    '```ts\nimport "@agentic-rest/client/x"\n```',
    2,
    '@agentic-rest/client/x is no package of this repository',
  ],
  ['`@agentic-rest/profile/deep`', 1, '@agentic-rest/profile/deep is not among the exports of its package'],
  ['`npm run bench`', 1, 'npm run bench is no script of package.json'],
])('what a page names has to be there: %j', (text, line, message) => {
  expect(faultsOf('docs/a.md', text)).toEqual([`docs/a.md:${line}: ${message}`])
})

test('names in comments of sources are checked', () => {
  const source = '// decision 3\n/**\n * As decision\n * 4 says, see docs/plugins/a.md.\n */\n'
  expect(faultsOf('packages/profile/src/a.ts', source)).toEqual([
    'packages/profile/src/a.ts:3: decision 4 has no record in docs/decisions',
    'packages/profile/src/a.ts:4: docs/plugins/a.md is not there',
  ])
})

test('test files may name missing things', () => {
  expect(faultsOf('tools/a.test.ts', "page('docs/missing.md') // decision 99")).toEqual([])
})
