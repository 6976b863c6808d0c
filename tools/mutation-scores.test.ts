import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutationGroups } from './mutation-groups.ts'
import { scoresOf } from './mutation-scores.ts'

const root = join(import.meta.dirname, '..')

test('a mutant without a failing test, or without a test, lowers the score of its file', () => {
  const mutants = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map((status) => ({ status }))
  expect(scoresOf({ files: { 'a.ts': { mutants } } })).toEqual([
    { file: 'a.ts', killed: 2, all: 4, score: 50 },
  ])
})

test('ignored mutants and mutants that do not run do not count', () => {
  const mutants = ['Killed', 'Ignored', 'RuntimeError', 'CompileError'].map((status) => ({ status }))
  const files = { 'a.ts': { mutants }, 'types.ts': { mutants: [{ status: 'Ignored' }] } }
  expect(scoresOf({ files })).toEqual([{ file: 'a.ts', killed: 1, all: 1, score: 100 }])
})

test.each(mutationGroups)('the files and tests of $name exist', ({ mutate, tests }) => {
  for (const pattern of [...mutate, ...tests])
    expect(globSync(pattern, { cwd: root }), pattern).not.toEqual([])
})
