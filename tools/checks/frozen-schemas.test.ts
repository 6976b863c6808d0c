import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatFault } from '../fault.ts'
import { freeze } from '../freeze.ts'
import { addFiles, temporaryTree } from '../temporary-tree.ts'
import { frozenSchemas } from './frozen-schemas.ts'

const versions = {
  'packages/profile/schemas/v0.1/error.json': '{"a":1}',
  'packages/profile/schemas/v0.2/error.json': '{"a":2}',
  'packages/profile/schemas/v0.3/error.json': '{"a":3}',
  'packages/profile/fixtures/v0.1/error.json': '{"b":1}',
  'packages/profile/fixtures/v0.2/error.json': '{"b":2}',
}

function frozenTree(): string {
  const root = temporaryTree(versions)
  expect(freeze(root)).toEqual({
    frozen: [
      'packages/profile/schemas/v0.1',
      'packages/profile/fixtures/v0.1',
      'packages/profile/schemas/v0.2',
      'packages/profile/fixtures/v0.2',
    ],
    faults: [],
  })
  return root
}

function recordOf(root: string): Record<string, string> {
  return JSON.parse(readFileSync(join(root, 'packages/profile/frozen.json'), 'utf8'))
}

test('what was frozen and not touched is clean', () => {
  expect(frozenSchemas(frozenTree())).toEqual([])
})

test('the record holds the SHA-256 of every earlier file and none of the current version', () => {
  const record = recordOf(frozenTree())
  expect(Object.keys(record)).toEqual(
    Object.keys(versions)
      .filter((path) => !path.includes('v0.3'))
      .toSorted(),
  )
  expect(record['packages/profile/schemas/v0.1/error.json']).toBe(
    '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
  )
})

test('without a record there is one fault', () => {
  expect(frozenSchemas(temporaryTree(versions)).map(formatFault)).toEqual([
    'packages/profile/frozen.json:1: missing: run npm run freeze',
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

test('a folder that the record does not know is a fault', () => {
  const root = frozenTree()
  const kept = Object.entries(recordOf(root)).filter(([path]) => !path.includes('fixtures/v0.2'))
  addFiles(root, { 'packages/profile/frozen.json': JSON.stringify(Object.fromEntries(kept)) })
  expect(frozenSchemas(root).map(formatFault)).toEqual([
    'packages/profile/frozen.json:1: packages/profile/fixtures/v0.2 is not recorded: run npm run freeze',
  ])
})

test('freezing again leaves the record alone', () => {
  const root = frozenTree()
  const before = recordOf(root)
  expect(freeze(root)).toEqual({ frozen: [], faults: [] })
  expect(recordOf(root)).toEqual(before)
})

test('freezing refuses to record a change of what is frozen', () => {
  const root = frozenTree()
  const before = recordOf(root)
  addFiles(root, { 'packages/profile/schemas/v0.1/error.json': '{}' })
  const path = 'packages/profile/schemas/v0.1/error.json'
  expect(freeze(root)).toEqual({
    frozen: [],
    faults: [{ path, line: 1, message: 'is frozen and was changed' }],
  })
  expect(recordOf(root)).toEqual(before)
})

test('freezing an empty version is refused', () => {
  const root = temporaryTree({ 'packages/profile/schemas/v0.1/error.json': '{}' })
  expect(freeze(root).faults.map(({ path }) => path)).toEqual([
    'packages/profile/fixtures/v0.1',
    'packages/profile/schemas/v0.2',
    'packages/profile/fixtures/v0.2',
  ])
})
