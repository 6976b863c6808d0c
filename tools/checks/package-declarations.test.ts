import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { packageDeclarations } from './package-declarations.ts'

const published = {
  name: '@agentic-rest/a',
  version: '1.2.3',
  description: 'A. Supports Agentic Profile v0.3.',
  license: 'Apache-2.0',
  type: 'module',
  engines: { node: '>=24' },
  files: ['dist'],
  exports: { '.': './dist/index.js' },
  scripts: { prepack: 'tsc -p tsconfig.build.json' },
  publishConfig: { 'ignore-scripts': false },
  dependencies: { ajv: '8.20.0', '@agentic-rest/b': '0.1.0-beta.1' },
}

const root = { name: 'root', private: true, devDependencies: { vitest: '5.1.0' } }
const neighbour = { name: '@agentic-rest/b', version: '0.1.0-beta.1', private: true }

const licences = { LICENSE: 'the licence', 'packages/a/LICENSE': 'the licence' }

function faultsOf(a: object, top: object = root, files: Record<string, string> = licences): string[] {
  const tree = temporaryTree({
    ...files,
    'package.json': JSON.stringify(top, null, 2),
    'packages/a/package.json': JSON.stringify(a, null, 2),
    'packages/b/package.json': JSON.stringify(neighbour),
  })
  return packageDeclarations(tree).map(formatFault)
}

test('a package that declares everything is clean', () => {
  expect(faultsOf(published)).toEqual([])
})

test.each([
  [
    { description: 'A. Supports Agentic Profile v0.2.' },
    4,
    'the description has to contain "Supports Agentic Profile v0.3"',
  ],
  [{ description: undefined }, 1, 'the description has to contain "Supports Agentic Profile v0.3"'],
  [{ license: 'MIT' }, 5, 'the license has to be Apache-2.0'],
  [{ type: 'commonjs' }, 6, 'the type has to be "module"'],
  [{ engines: undefined }, 1, 'engines.node is missing'],
  [{ exports: undefined }, 1, 'exports is missing'],
  [{ files: undefined }, 1, 'files is missing: without it the tests are published too'],
  [{ scripts: { prepack: 'true' } }, 16, 'scripts.prepack has to build what is published'],
  [
    { publishConfig: undefined },
    1,
    'publishConfig has to set "ignore-scripts": false, or npm publish does not build',
  ],
])('a published package with %j is a fault', (change, line, message) => {
  expect(faultsOf({ ...published, ...change })).toEqual([`packages/a/package.json:${line}: ${message}`])
})

test.each(['preinstall', 'install', 'postinstall', 'prepare'])('a %s script is a fault', (name) => {
  const scripts = { ...published.scripts, [name]: 'node build.js' }
  expect(faultsOf({ ...published, scripts })).toEqual([
    'packages/a/package.json:16: nothing may run on installation (preinstall, install, postinstall, prepare, preprepare, postprepare)',
  ])
})

test('a published package without the licence, or with another one, is a fault', () => {
  const message =
    'packages/a/LICENSE:1: has to be a copy of LICENSE, which npm packs from the folder of the package'
  expect(faultsOf(published, root, { LICENSE: 'the licence' })).toEqual([message])
  expect(faultsOf(published, root, { ...licences, 'packages/a/LICENSE': 'another' })).toEqual([message])
})

test('a private package needs no declarations', () => {
  expect(faultsOf({ name: '@agentic-rest/a', private: true }, root, {})).toEqual([])
})

test.each(['^8.20.0', '~8.20.0', '8.x', '>=8', '*', 'latest', '', 'github:ajv/ajv', 'npm:ajv@^8.0.0'])(
  'a dependency on %j is a fault',
  (wanted) => {
    expect(faultsOf({ ...published, dependencies: { ajv: wanted } })).toEqual([
      `packages/a/package.json:23: ajv has to be one exact version, not "${wanted}"`,
    ])
  },
)

test.each(['devDependencies', 'optionalDependencies'])(
  'a range in %s is a fault, in private packages too',
  (group) => {
    expect(
      faultsOf({ private: true, [group]: { ajv: '^8.20.0' } }, { ...root, [group]: { ajv: '^8.20.0' } }),
    ).toEqual([
      expect.stringMatching(/^package\.json:\d+: ajv has to be one exact version, not "\^8\.20\.0"$/),
      'packages/a/package.json:4: ajv has to be one exact version, not "^8.20.0"',
    ])
  },
)

test('a range in peerDependencies is clean', () => {
  expect(faultsOf({ ...published, peerDependencies: { zod: '^4.0.0' } })).toEqual([])
})

test('a workspace dependency on another version than the one here is a fault', () => {
  expect(faultsOf({ ...published, dependencies: { '@agentic-rest/b': '0.0.9' } })).toEqual([
    'packages/a/package.json:23: @agentic-rest/b is version 0.1.0-beta.1 in this repository, not 0.0.9',
  ])
})
