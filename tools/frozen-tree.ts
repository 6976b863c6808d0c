import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { freeze } from './freeze.ts'
import { temporaryTree } from './temporary-tree.ts'

/** The schemas and fixtures of a small profile with two earlier versions and the current one. */
export const profileFolders = {
  'packages/profile/schemas/v0.1/error.json': '{"a":1}',
  'packages/profile/schemas/v0.2/error.json': '{"a":2}',
  'packages/profile/schemas/v0.3/error.json': '{"a":3}',
  'packages/profile/fixtures/v0.1/error.json': '{"b":1}',
  'packages/profile/fixtures/v0.2/error.json': '{"b":2}',
}

/** A temporary repository with frozen earlier versions. */
export function frozenTree(): string {
  const root = temporaryTree(profileFolders)
  expect(freeze(root, { first: true }).faults).toEqual([])
  return root
}

/** The record of such a repository. */
export function recordOf(root: string): Record<string, string> {
  return JSON.parse(readFileSync(join(root, 'packages/profile/frozen.json'), 'utf8'))
}
