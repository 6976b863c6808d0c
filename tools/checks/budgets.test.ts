import { expect, test } from 'vitest'
import { temporaryTree } from '../temporary-tree.ts'
import { type Budget, budgetFaults, budgetLines, budgets } from './budgets.ts'

const row = (count: number): Budget => ({ name: 'lines of a', path: 'a', count, goal: 500, most: 1000 })

test('the figures are counted: shipped lines, tests, tools, fields, records and words', () => {
  const root = temporaryTree({
    'packages/gateway/src/exchange.ts': 'export class Exchange {\n  a = 1\n  b = 2\n  read() {}\n}\n',
    'packages/gateway/src/exchange.test.ts': 'test\n',
    'packages/gateway/test/a.ts': 'one\ntwo\n',
    'examples/a/src/main.ts': 'one\n',
    'tools/a.ts': 'one\n',
    'bench/a.ts': 'one\n',
    'docs/a.md': 'two words\n',
    'docs/api/a.md': 'not counted\n',
    'docs/decisions/README.md': 'one\n',
    'docs/decisions/0001-a.md': 'one\n',
  })
  expect(budgets(root).map(({ count }) => count)).toEqual([5, 6, 3, 2, 2, 1, 4])
})

test('what exceeds its budget is a fault, and so is a budget with much room', () => {
  expect(budgetFaults([row(951), row(1000)])).toEqual([])
  expect(budgetFaults([row(1001)]).map(({ message }) => message)).toEqual([
    'lines of a: 1001, at most 1000. Remove something',
  ])
  expect(budgetFaults([row(949)]).map(({ message }) => message)).toEqual([
    'lines of a: only 949. Lower `most` in tools/checks/budgets.ts',
  ])
})

test('each figure is printed with its goal', () => {
  expect(budgetLines([row(12_345)])).toEqual(['   12,345 lines of a (goal 500)'])
})
