import { expect, test } from 'vitest'
import { temporaryTree } from '../temporary-tree.ts'
import { importCycles } from './import-cycles.ts'

const faultsOf = (files: Record<string, string>) =>
  importCycles(temporaryTree(files)).map(({ path, message }) => `${path}: ${message}`)

test('imports that go down the table and form no cycle are clean', () => {
  expect(
    faultsOf({
      'packages/gateway/src/gateway.ts': "import './line/handle.ts'\nimport './log.ts'",
      'packages/gateway/src/line/handle.ts': "import './route.ts'\nimport '../plugins/a/a.ts'",
      'packages/gateway/src/line/route.ts': '',
      'packages/gateway/src/plugins/a/a.ts': "import './b.ts'",
      'packages/gateway/src/plugins/a/b.ts': '',
      'packages/gateway/src/log.ts': '',
    }),
  ).toEqual([])
})

test('a cycle is one fault with all its files, types included', () => {
  expect(
    faultsOf({
      'packages/client/src/a.ts': "import './b.ts'",
      'packages/client/src/b.ts': "import './c.ts'",
      'packages/client/src/c.ts': "import type { A } from './a.ts'",
    }),
  ).toEqual([
    'packages/client/src/a.ts: import cycle: packages/client/src/a.ts, packages/client/src/b.ts, packages/client/src/c.ts',
  ])
})

test('an import that goes up the table is a fault', () => {
  expect(
    faultsOf({
      'packages/gateway/src/config/rules.ts': "import '../errors.ts'\nimport '../upstream/pool.ts'",
      'packages/gateway/src/upstream/pool.ts': '',
      'packages/gateway/src/errors.ts': '',
    }),
  ).toEqual([
    'packages/gateway/src/config/rules.ts: config/ may not import upstream/: imports go down the table',
  ])
})

test('a folder that the table does not list is a fault', () => {
  expect(
    faultsOf({
      'packages/gateway/src/helpers/a.ts': "import '../log.ts'",
      'packages/gateway/src/log.ts': '',
    }),
  ).toEqual(['packages/gateway/src/helpers/a.ts: is not in the table of the gateway’s folders'])
})

test('a plugin that imports another plugin is a fault', () => {
  expect(
    faultsOf({
      'packages/gateway/src/plugins/a/a.ts': "import '../b/b.ts'",
      'packages/gateway/src/plugins/b/b.ts': '',
    }),
  ).toEqual(['packages/gateway/src/plugins/a/a.ts: a may not import b: plugins do not import each other'])
})

test('test files are not checked', () => {
  expect(
    faultsOf({
      'packages/client/src/a.ts': "import './a.test.ts'",
      'packages/client/src/a.test.ts': "import './a.ts'",
    }),
  ).toEqual([])
})
