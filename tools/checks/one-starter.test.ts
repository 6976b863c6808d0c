import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { oneStarter } from './one-starter.ts'

const testing = {
  'packages/testing/src/start-gateway.ts':
    'export async function startGateway() {}\nfunction lineSink() {}\nexport interface TestGateway {}\n',
  'packages/testing/src/free-port.ts': 'export const freePort = async () => 1\nexport const FIRST = 1\n',
  'packages/testing/src/shared-parts.ts': 'export function setup() {}\n',
  'packages/testing/src/free-port.test.ts': 'export function onlyHere() {}\n',
}

function faultsWith(files: Readonly<Record<string, string>>): string[] {
  return oneStarter(temporaryTree({ ...testing, ...files })).map(formatFault)
}

test.each([
  'packages/gateway/test/a.test.ts',
  'packages/gateway/src/a.test.ts',
  'examples/stack/test/harness/a.ts',
  'tests/a.ts',
  'bench/a.ts',
  'chaos/runs/a.ts',
  'tools/a.test.ts',
])('a second definition in %s is a fault that names the import', (path) => {
  expect(faultsWith({ [path]: '\nasync function startGateway() {}\n' })).toEqual([
    `${path}:2: startGateway is defined a second time: import it from @agentic-rest/testing/start-gateway, or name it for what differs`,
  ])
})

test.each([
  ['an exported function', 'export function freePort() {}'],
  ['a constant with an arrow function', 'const freePort = () => 2'],
  ['an exported constant with a function', 'export const freePort = async function () {}'],
])('%s is a definition', (_kind, source) => {
  expect(faultsWith({ 'tests/a.ts': source })).toEqual([
    'tests/a.ts:1: freePort is defined a second time: import it from @agentic-rest/testing/free-port, or name it for what differs',
  ])
})

test.each([
  ['an import', 'tests/a.ts', "import { startGateway } from '@agentic-rest/testing/start-gateway'"],
  ['a value that a starter gave', 'tests/a.ts', 'const freePort = await find()'],
  ['a name inside a function', 'tests/a.ts', 'function work() { const freePort = () => 1; return freePort }'],
  ['what a starter keeps to itself', 'tests/a.ts', 'function lineSink() {}'],
  ['the set-up of a set of tests', 'tests/a.ts', 'export function setup() {}'],
  ['a function of its tests', 'tests/a.ts', 'function onlyHere() {}'],
  [
    'the real thing in the source of a package',
    'packages/stack/src/a.ts',
    'export function startGateway() {}',
  ],
])('%s is no second definition', (_kind, path, source) => {
  expect(faultsWith({ [path]: source })).toEqual([])
})
