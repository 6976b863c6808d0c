import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { hashFolder } from '../frozen-record.ts'
import { frozenTree, profileFolders, recordOf } from '../frozen-tree.ts'
import { addFiles, temporaryTree } from '../temporary-tree.ts'
import { frozenSchemas } from './frozen-schemas.ts'

test('unchanged frozen files are clean', () => {
  expect(frozenSchemas(frozenTree())).toEqual([])
})

test('without a record there is one fault', () => {
  expect(frozenSchemas(temporaryTree(profileFolders)).map(formatFault)).toEqual([
    'packages/profile/frozen.json:1: missing: restore it; only where nothing was ever frozen, run npm run freeze -- --first',
  ])
})

test('a changed, a missing and an added file are faults', () => {
  const root = frozenTree()
  addFiles(root, {
    'packages/profile/schemas/v0.1/error.json': '{"a":1 }',
    'packages/profile/fixtures/v0.2/more.json': '{}',
  })
  rmSync(join(root, 'packages/profile/schemas/v0.2/error.json'))
  expect(frozenSchemas(root).map(formatFault)).toEqual([
    'packages/profile/schemas/v0.1/error.json:1: is frozen and was changed',
    'packages/profile/schemas/v0.2/error.json:1: is frozen and missing',
    'packages/profile/fixtures/v0.2/more.json:1: was added to a frozen version',
  ])
})

test('a folder without a record is a fault', () => {
  const root = frozenTree()
  const kept = Object.entries(recordOf(root)).filter(([path]) => !path.includes('fixtures/v0.2'))
  addFiles(root, { 'packages/profile/frozen.json': JSON.stringify(Object.fromEntries(kept)) })
  expect(frozenSchemas(root).map(formatFault)).toEqual([
    'packages/profile/frozen.json:1: packages/profile/fixtures/v0.2 is not recorded: run npm run freeze',
  ])
})

test('a version that the profile no longer names stays frozen', () => {
  const root = frozenTree()
  const folder = 'packages/profile/schemas/v0.0'
  addFiles(root, { [`${folder}/a.json`]: '1', [`${folder}/b.json`]: '2' })
  const record = { ...recordOf(root), ...hashFolder(root, folder) }
  addFiles(root, { 'packages/profile/frozen.json': JSON.stringify(record) })
  expect(frozenSchemas(root)).toEqual([])

  rmSync(join(root, folder, 'a.json'))
  addFiles(root, { [`${folder}/b.json`]: '3', [`${folder}/c.json`]: '4' })
  expect(frozenSchemas(root).map(formatFault)).toEqual([
    `${folder}/a.json:1: is frozen and missing`,
    `${folder}/b.json:1: is frozen and was changed`,
    `${folder}/c.json:1: was added to a frozen version`,
  ])
})
