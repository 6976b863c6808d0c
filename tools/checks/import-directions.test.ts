import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { addFiles, temporaryTree } from '../temporary-tree.ts'
import { importDirections } from './import-directions.ts'

function manifest(name: string, ...dependencies: string[]): string {
  return JSON.stringify({ name, dependencies: Object.fromEntries(dependencies.map((d) => [d, '1.0.0'])) })
}

const repo = {
  'packages/profile/package.json': manifest('@agentic-rest/profile', 'ajv'),
  'packages/profile/src/index.ts': "export { outcomes } from './outcomes.ts'\n",
  'packages/profile/src/outcomes.ts': 'export const outcomes = {}\n',
  'packages/profile/src/validate.ts':
    "import { readFileSync } from 'node:fs'\nimport { Ajv } from 'ajv/dist/2020.js'\n",
  'packages/gateway/package.json': manifest('@agentic-rest/gateway', '@agentic-rest/profile'),
  'packages/gateway/src/listen/server.ts': "import { createServer } from 'node:http'\n",
  'packages/gateway/src/listen/socket.ts': "import 'node:net'\nimport 'node:tls'\n",
  'packages/gateway/src/gateway.ts': "import { outcomes } from '@agentic-rest/profile'\n",
  'packages/gateway/src/gateway.test.ts':
    "import { test } from 'vitest'\nimport { request } from 'node:http'\n",
  'packages/client/package.json': manifest('@agentic-rest/client', '@agentic-rest/profile'),
  'packages/client/src/index.ts': "import type { Outcome } from '@agentic-rest/profile'\n",
  'packages/cli/package.json': manifest('agentic-rest', '@agentic-rest/gateway', '@agentic-rest/client'),
  'packages/cli/src/main.ts':
    "import '@agentic-rest/gateway'\nimport '@agentic-rest/client'\nimport 'node:net'\n",
  'examples/campaigns/package.json': manifest('@agentic-rest/example-campaigns', '@agentic-rest/gateway'),
  'examples/campaigns/src/main.ts': "import '@agentic-rest/gateway'\n",
  'examples/stack/package.json': manifest('@agentic-rest/example-stack'),
  'packages/testing/package.json': JSON.stringify({
    name: '@agentic-rest/testing',
    devDependencies: { '@agentic-rest/gateway': '1.0.0', vitest: '1.0.0' },
  }),
  'packages/testing/src/start-gateway.ts': "import 'vitest'\nimport '@agentic-rest/gateway'\n",
  'packages/profile/test/a.test.ts': "import '@agentic-rest/testing/start-gateway'\n",
  'tools/any.ts': "import '../packages/profile/src/outcomes.ts'\nimport '@agentic-rest/gateway'\n",
}

function faultsWith(path: string, source: string): string[] {
  const root = temporaryTree(repo)
  addFiles(root, { [path]: source })
  return importDirections(root).map(formatFault)
}

test('a repository whose imports follow the table is clean', () => {
  expect(importDirections(temporaryTree(repo))).toEqual([])
})

test('an import against the table is a fault even when it is declared and type-only', () => {
  expect(
    faultsWith('packages/profile/test/a.ts', "import type { G } from '@agentic-rest/gateway'\n"),
  ).toEqual(['packages/profile/test/a.ts:1: packages/profile may not import @agentic-rest/gateway'])
})

test.each([
  ['export from', "export { a } from '@agentic-rest/client'"],
  ['dynamic import', "await import('@agentic-rest/client')"],
  ['dynamic import of a plain template', 'await import(`@agentic-rest/client`)'],
  ['import type expression', "type C = import('@agentic-rest/client').Client"],
  ['require', "require('@agentic-rest/client')"],
  ['import.meta.resolve', "import.meta.resolve('@agentic-rest/client')"],
  ['subpath', "import '@agentic-rest/client/deep'"],
])('the direction of an import is seen in the form of %s', (_form, source) => {
  expect(faultsWith('packages/gateway/test/a.test.ts', `\n${source}\n`)).toEqual([
    'packages/gateway/test/a.test.ts:2: packages/gateway may not import @agentic-rest/client',
  ])
})

test.each(['agentic-rest', '@agentic-rest/profile', '@agentic-rest/example-stack'])(
  'an example may not import %s: it shows what the packages for users can do',
  (name) => {
    expect(faultsWith('examples/campaigns/test/a.ts', `import '${name}'\n`)).toEqual([
      `examples/campaigns/test/a.ts:1: examples/campaigns may not import ${name}`,
    ])
  },
)

test('the command line may import the stack and no other example', () => {
  const source = "import '@agentic-rest/example-stack'\nimport '@agentic-rest/example-campaigns'\n"
  expect(faultsWith('packages/cli/test/a.ts', source)).toEqual([
    'packages/cli/test/a.ts:2: packages/cli may not import @agentic-rest/example-campaigns',
  ])
})

test.each(['packages/gateway/src/a.ts', 'packages/cli/src/a.ts', 'examples/campaigns/src/a.ts'])(
  '%s may not import a starter of tests',
  (path) => {
    expect(faultsWith(path, "import '@agentic-rest/testing/start-gateway'\n")).toContain(
      `${path}:1: only tests may import @agentic-rest/testing`,
    )
  },
)

test.each(['packages/gateway/src/a.test.ts', 'packages/client/test/a.ts', 'examples/campaigns/test/a.ts'])(
  '%s may import a starter of tests',
  (path) => {
    expect(faultsWith(path, "import '@agentic-rest/testing/start-gateway'\n")).toEqual([])
  },
)

test('the starters of tests declare what they import', () => {
  expect(faultsWith('packages/testing/src/a.ts', "import 'redis'\n")).toEqual([
    'packages/testing/src/a.ts:1: redis is not among the dependencies of packages/testing/package.json',
  ])
})

test('a package without a row in the table may import no other workspace', () => {
  const root = temporaryTree(repo)
  addFiles(root, {
    'packages/extra/package.json': manifest('@agentic-rest/extra', '@agentic-rest/profile'),
    'packages/extra/src/index.ts': "import '@agentic-rest/profile'\n",
  })
  expect(importDirections(root).map(formatFault)).toEqual([
    'packages/extra/src/index.ts:1: packages/extra has no row in the table of import directions',
  ])
})

test('a relative import that leaves the package is a fault, in tests too', () => {
  expect(faultsWith('packages/gateway/test/a.test.ts', "import '../../profile/src/outcomes.ts'\n")).toEqual([
    "packages/gateway/test/a.test.ts:1: '../../profile/src/outcomes.ts' leaves packages/gateway: import the other package by its name",
  ])
})

test.each(['node:http', 'http', 'node:https', 'node:net', 'node:tls'])(
  '%s is allowed only in listen/',
  (specifier) => {
    expect(faultsWith('packages/gateway/src/upstream/a.ts', `import '${specifier}'\n`)).toEqual([
      `packages/gateway/src/upstream/a.ts:1: only packages/gateway/src/listen/ may import ${specifier.replace('node:', '')}`,
    ])
  },
)

test.each(['listen', 'redis'])('redis is allowed in one file, not in another of %s/', (folder) => {
  const path = `packages/gateway/src/${folder}/a.ts`
  expect(faultsWith(path, "import type { RedisClientType } from 'redis'\n")).toContain(
    `${path}:1: only packages/gateway/src/redis/redis-client.ts may import redis`,
  )
})

test.each(['node:crypto', 'fs'])('%s is not allowed in the client', (specifier) => {
  expect(faultsWith('packages/client/src/deep/a.ts', `import '${specifier}'\n`)).toEqual([
    `packages/client/src/deep/a.ts:1: '${specifier}' does not exist in a browser, where packages/client has to run`,
  ])
})

test('no file reachable from the main entry of the profile imports a package or a builtin', () => {
  const source = "import 'node:fs'\nimport 'ajv'\nimport './index.ts'\n"
  expect(faultsWith('packages/profile/src/outcomes.ts', source)).toEqual([
    "packages/profile/src/outcomes.ts:1: the main entry of the profile depends on nothing, and reaches 'fs' here",
    "packages/profile/src/outcomes.ts:2: the main entry of the profile depends on nothing, and reaches 'ajv' here",
  ])
})

test('a bare import that package.json does not declare is a fault, type-only too', () => {
  const source = "import type { Key } from 'jose'\nimport { z } from '@scope/zod/v4'\n"
  expect(faultsWith('packages/gateway/src/a.ts', source)).toEqual([
    'packages/gateway/src/a.ts:1: jose is not among the dependencies of packages/gateway/package.json',
    'packages/gateway/src/a.ts:2: @scope/zod is not among the dependencies of packages/gateway/package.json',
  ])
})
