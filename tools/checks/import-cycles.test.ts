import { expect, test } from 'vitest'
import { temporaryTree } from '../temporary-tree.ts'
import { importCycles } from './import-cycles.ts'

const src = 'packages/gateway/src'

test('imports that go down, and two files that import a third, are clean', () => {
  const root = temporaryTree({
    [`${src}/line/handle.ts`]: "import { a } from './admit.ts'\nimport type { E } from '../exchange.ts'\n",
    [`${src}/line/admit.ts`]: "import type { E } from '../exchange.ts'\nexport const a = 1\n",
    [`${src}/exchange.ts`]: "import { refusal } from './errors.ts'\nexport interface E {}\n",
    [`${src}/errors.ts`]: 'export const refusal = 1\n',
    [`${src}/line/admit.test.ts`]: "import '../gateway.ts'\n",
    [`${src}/gateway.ts`]: "import './line/handle.ts'\n",
  })
  expect(importCycles(root)).toEqual([])
})

test('a cycle is one fault that names its files, types included', () => {
  const root = temporaryTree({
    'packages/a/src/one.ts': "import type { Two } from './two.ts'\nexport interface One {}\n",
    'packages/a/src/two.ts': "import { three } from './three.ts'\nexport interface Two {}\n",
    'packages/a/src/three.ts': "import type { One } from './one.ts'\nexport const three = 3\n",
    'packages/a/src/four.ts': "import './one.ts'\n",
  })
  const files = ['one', 'three', 'two'].map((name) => `packages/a/src/${name}.ts`)
  expect(importCycles(root)).toEqual([
    { path: files[0], line: 1, message: `imports itself by a detour: ${files.join(', ')}` },
  ])
})

test('two cycles that share no file are two faults', () => {
  const pair = (name: string) => ({
    [`packages/a/src/${name}-1.ts`]: `import './${name}-2.ts'\n`,
    [`packages/a/src/${name}-2.ts`]: `import './${name}-1.ts'\n`,
  })
  expect(importCycles(temporaryTree({ ...pair('x'), ...pair('y') }))).toHaveLength(2)
})

test('an import that goes up is a fault, and so is a file in no room', () => {
  const root = temporaryTree({
    [`${src}/upstream/forward.ts`]: "// é\nimport type { P } from '../plugin.ts'\n",
    [`${src}/plugin.ts`]: 'export interface P {}\n',
    [`${src}/shared.ts`]: 'export interface S {}\n',
  })
  expect(importCycles(root)).toEqual([
    { path: `${src}/shared.ts`, line: 1, message: 'stands in no room of the gateway' },
    {
      path: `${src}/upstream/forward.ts`,
      line: 2,
      message: 'upstream/ may not import plugin.ts: rooms import downwards',
    },
  ])
})

test('a plugin that imports another one is a fault', () => {
  const root = temporaryTree({
    [`${src}/plugins/a/a.ts`]: "import { b } from '../b/b.ts'\n",
    [`${src}/plugins/b/b.ts`]: 'export const b = 1\n',
  })
  expect(importCycles(root)).toEqual([
    { path: `${src}/plugins/a/a.ts`, line: 1, message: 'a may not import b: a plugin knows no other plugin' },
  ])
})
