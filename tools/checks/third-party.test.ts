import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { thirdParty } from './third-party.ts'

function faultsOf(packages: object): string[] {
  const lock = { packages: { '': { license: 'GPL-3.0' }, ...packages } }
  const tree = temporaryTree({ 'package-lock.json': JSON.stringify(lock, null, 2) })
  return thirdParty(tree).map(formatFault)
}

test('packages with an allowed licence and no install script are clean', () => {
  expect(
    faultsOf({
      'node_modules/a': { version: '1.0.0', license: 'MIT' },
      'node_modules/a/node_modules/b': { version: '2.0.0', license: 'Apache-2.0' },
      'node_modules/protobufjs': { version: '8.0.0', license: 'BSD-3-Clause', hasInstallScript: true },
    }),
  ).toEqual([])
})

test.each([
  [{ license: 'GPL-3.0-only' }, 'a 1.0.0 has the licence GPL-3.0-only, which is not allowed'],
  [{ license: 'MIT AND GPL-3.0' }, 'a 1.0.0 has the licence MIT AND GPL-3.0, which is not allowed'],
  [{}, 'a 1.0.0 has the licence of nobody knows what, which is not allowed'],
  [
    { license: 'MIT', hasInstallScript: true },
    'a 1.0.0 has an install script: show that it works without and say so in this check',
  ],
])('a package with %j is a fault at its place in the lock file', (entry, message) => {
  expect(faultsOf({ 'node_modules/a': { version: '1.0.0', ...entry } })).toEqual([
    `package-lock.json:6: ${message}`,
  ])
})

test('nested packages are checked; packages for development and own packages are not', () => {
  expect(
    faultsOf({
      'node_modules/a/node_modules/@x/b': { version: '2.0.0', license: 'SSPL-1.0' },
      'node_modules/tool': { version: '1.0.0', license: 'GPL-3.0', dev: true, hasInstallScript: true },
      'node_modules/ours': { link: true },
      'packages/ours': { version: '0.1.0', license: 'GPL-3.0' },
    }),
  ).toEqual(['package-lock.json:6: @x/b 2.0.0 has the licence SSPL-1.0, which is not allowed'])
})
