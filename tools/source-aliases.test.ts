import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourceAliases } from './source-aliases.ts'
import { temporaryTree } from './temporary-tree.ts'

function root(): string {
  return temporaryTree({
    'packages/gateway/package.json': JSON.stringify({
      name: '@agentic-rest/gateway',
      exports: {
        '.': { 'agentic-source': './src/index.ts', default: './dist/index.js' },
        './did-you-mean': { 'agentic-source': './src/config/did-you-mean.ts' },
        './package.json': './package.json',
      },
    }),
    'packages/testing/package.json': JSON.stringify({
      name: '@agentic-rest/testing',
      exports: { './*': './src/*.ts' },
    }),
    'examples/llm/package.json': JSON.stringify({ name: '@agentic-rest/example-llm' }),
  })
}

test.each([
  ['@agentic-rest/gateway', 'packages/gateway/src/index.ts'],
  ['@agentic-rest/gateway/did-you-mean', 'packages/gateway/src/config/did-you-mean.ts'],
  ['@agentic-rest/gateway/package.json', 'packages/gateway/package.json'],
  ['@agentic-rest/testing/start-gateway', 'packages/testing/src/start-gateway.ts'],
])('%s is %s of the repository that is given', (specifier, file) => {
  const repository = root()
  const found = sourceAliases(repository).filter(({ find }) => find.test(specifier))
  expect(found.map(({ find, replacement }) => specifier.replace(find, replacement))).toEqual([
    join(repository, file),
  ])
})

test.each([
  '@agentic-rest/gateway-more',
  '@agentic-rest/gateway/src/index.ts',
  '@agentic-rest/testing',
  'vitest',
])('%s is no import of a workspace', (specifier) => {
  expect(sourceAliases(root()).filter(({ find }) => find.test(specifier))).toEqual([])
})
