import { expect, test } from 'vitest'
import { runs } from '../../chaos/runs.ts'
import { mutationGroups } from '../../tools/mutation-groups.ts'
import { npmRunHere } from './programs.ts'

// Hours, in a night: each test is a program that prints its progress and its figures, and fails by its exit code.
const options = { timeout: 6 * 3_600_000 }

test.each(runs)('chaos $name in full reaches its figures', options, async ({ name }) => {
  expect(await npmRunHere('chaos', [name])).toBe(0)
})

test.each(mutationGroups)('enough mutants of $name are noticed', options, async ({ name }) => {
  expect(await npmRunHere('mutation', [name])).toBe(0)
})

test('the gateway is measured beside all peers on the PATH', options, async () => {
  expect(await npmRunHere('bench', ['--peers'])).toBe(0)
})
