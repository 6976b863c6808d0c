import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatFault } from './fault.ts'
import { freeze } from './freeze.ts'
import { hashFolder } from './frozen-record.ts'
import { frozenTree, profileFolders, recordOf } from './frozen-tree.ts'
import { runScript, scriptTree } from './script-tree.ts'
import { addFiles, temporaryTree } from './temporary-tree.ts'

const recordPath = 'packages/profile/frozen.json'
const earlier = [
  'packages/profile/schemas/v0.1',
  'packages/profile/fixtures/v0.1',
  'packages/profile/schemas/v0.2',
  'packages/profile/fixtures/v0.2',
]
const refusal =
  'packages/profile/frozen.json:1: missing: restore it; only where nothing was ever frozen, run npm run freeze -- --first'

test('the first freezing records the SHA-256 of every earlier file and none of the current version', () => {
  const root = temporaryTree(profileFolders)
  expect(freeze(root, { first: true })).toEqual({ frozen: earlier, faults: [] })
  const record = recordOf(root)
  expect(Object.keys(record)).toEqual(
    Object.keys(profileFolders)
      .filter((path) => !path.includes('v0.3'))
      .toSorted(),
  )
  expect(record['packages/profile/schemas/v0.1/error.json']).toBe(
    '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
  )
})

test('without a record freezing is refused: it would accept changed files', () => {
  const root = frozenTree()
  rmSync(join(root, recordPath))
  addFiles(root, { 'packages/profile/schemas/v0.1/error.json': '{}' })
  const { frozen, faults } = freeze(root, { first: false })
  expect(frozen).toEqual([])
  expect(faults.map(formatFault)).toEqual([refusal])
  expect(existsSync(join(root, recordPath))).toBe(false)
})

test.each([true, false])('freezing again leaves the record alone, with first %j', (first) => {
  const root = frozenTree()
  const before = recordOf(root)
  expect(freeze(root, { first })).toEqual({ frozen: [], faults: [] })
  expect(recordOf(root)).toEqual(before)
})

test('a version that is not recorded yet is added', () => {
  const root = frozenTree()
  const kept = Object.entries(recordOf(root)).filter(([path]) => !path.includes('fixtures/v0.2'))
  addFiles(root, { [recordPath]: JSON.stringify(Object.fromEntries(kept)) })
  expect(freeze(root, { first: false })).toEqual({ frozen: ['packages/profile/fixtures/v0.2'], faults: [] })
  expect(recordOf(root)).toEqual(recordOf(frozenTree()))
})

test.each([true, false])('a change of a frozen file is never recorded, with first %j', (first) => {
  const root = frozenTree()
  const before = recordOf(root)
  const path = 'packages/profile/schemas/v0.1/error.json'
  addFiles(root, { [path]: '{}' })
  expect(freeze(root, { first })).toEqual({
    frozen: [],
    faults: [{ path, line: 1, message: 'is frozen and was changed' }],
  })
  expect(recordOf(root)).toEqual(before)
})

test('freezing is refused while a version that the profile no longer names has changed', () => {
  const root = frozenTree()
  const folder = 'packages/profile/fixtures/v0.0'
  addFiles(root, { [`${folder}/a.json`]: '1' })
  addFiles(root, { [recordPath]: JSON.stringify({ ...recordOf(root), ...hashFolder(root, folder) }) })
  rmSync(join(root, folder), { recursive: true })
  expect(freeze(root, { first: false }).faults.map(formatFault)).toEqual([
    `${folder}/a.json:1: is frozen and missing`,
  ])
})

test('freezing an empty version is refused', () => {
  const root = temporaryTree({ 'packages/profile/schemas/v0.1/error.json': '{}' })
  expect(freeze(root, { first: true }).faults.map(({ path }) => path)).toEqual(earlier.slice(1))
})

test('npm run freeze refuses without a record, records with --first, and then has nothing to do', () => {
  const root = scriptTree(profileFolders)
  expect(runScript(root, 'freeze')).toEqual({ status: 1, stdout: '', stderr: `${refusal}\n` })
  expect(runScript(root, 'freeze', '--first')).toEqual({
    status: 0,
    stdout: earlier.map((folder) => `recorded ${folder}\n`).join(''),
    stderr: '',
  })
  expect(recordOf(root)).toEqual(recordOf(frozenTree()))
  expect(runScript(root, 'freeze')).toEqual({ status: 0, stdout: '', stderr: '' })
})
