import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from '../fault.ts'
import { isTestFile, listFiles, listSources } from '../repo-files.ts'
import { readSource, visitNodes } from '../source-file.ts'

/** How much there is of something, how much there is to be, and how much there may be now. */
export interface Budget {
  readonly name: string
  readonly path: string
  readonly count: number
  readonly goal: number
  /** Lowered by whoever removes something; the goal is reached in steps. */
  readonly most: number
}

interface Counted extends Omit<Budget, 'count'> {
  count(root: string): number
}

const isShipped = (path: string) => !isTestFile(path) && !path.includes('/template/')

const table: readonly Counted[] = [
  {
    name: 'lines of packages/gateway/src',
    path: 'packages/gateway/src',
    goal: 22_000,
    most: 33_500,
    count: (root) => linesOf(root, listSources(root, ['packages/gateway/src']).filter(isShipped)),
  },
  {
    name: 'lines of packages and examples',
    path: 'packages',
    goal: 81_000,
    most: 92_000,
    count: (root) => linesOf(root, listSources(root, ['packages', 'examples']).filter(isShipped)),
  },
  {
    name: 'lines of tests',
    path: 'tests',
    goal: 80_000,
    most: 106_000,
    count: (root) =>
      linesOf(root, listSources(root, ['packages', 'examples', 'tests', 'tools']).filter(isTestFile)),
  },
  {
    name: 'lines of tools, bench and chaos',
    path: 'tools',
    goal: 16_000,
    most: 19_500,
    count: (root) =>
      linesOf(
        root,
        listSources(root, ['tools', 'bench', 'chaos']).filter((path) => !/\.test\.ts$/.test(path)),
      ),
  },
  {
    name: 'fields of Exchange',
    path: 'packages/gateway/src/exchange.ts',
    goal: 45,
    most: 67,
    count: (root) => fieldsOf(root, 'packages/gateway/src/exchange.ts', 'Exchange'),
  },
  {
    name: 'decision records',
    path: 'docs/decisions',
    goal: 50,
    most: 129,
    count: (root) =>
      listFiles(root, ['docs/decisions/*.md']).filter((path) => !path.endsWith('/README.md')).length,
  },
  {
    name: 'words of documents, generated API pages aside',
    path: 'docs',
    goal: 85_000,
    most: 133_000,
    count: (root) =>
      listFiles(root, ['docs/**/*.md'])
        .filter((path) => !path.startsWith('docs/api/'))
        .reduce((sum, path) => sum + wordsOf(readFileSync(join(root, path), 'utf8')), 0),
  },
]

/** The budgets of the repository, counted now. */
export function budgets(root: string): Budget[] {
  return table.map((row) => ({ ...row, count: row.count(root) }))
}

/** A budget that is exceeded is a fault; one with much room is one too, so that what was won is kept. */
export function budgetFaults(rows: readonly Budget[]): Fault[] {
  return rows.flatMap(({ name, path, count, most }) => {
    if (count > most)
      return [{ path, line: 1, message: `${name}: ${count}, at most ${most}. Remove something` }]
    if (count < most * KEPT_SHARE)
      return [{ path, line: 1, message: `${name}: only ${count}. Lower \`most\` in tools/checks/budgets.ts` }]
    return []
  })
}

const KEPT_SHARE = 0.95

/** The budgets as lines of text, for the end of a check. */
export function budgetLines(rows: readonly Budget[]): string[] {
  return rows.map(
    ({ name, count, goal }) =>
      `${count.toLocaleString('en').padStart(9)} ${name} (goal ${goal.toLocaleString('en')})`,
  )
}

function linesOf(root: string, paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + readFileSync(join(root, path), 'utf8').split('\n').length - 1, 0)
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

function fieldsOf(root: string, path: string, name: string): number {
  let fields = 0
  visitNodes(readSource(root, path).program, function countFields(node) {
    if (node.type !== 'ClassDeclaration' || node.id?.name !== name) return
    fields = node.body.body.filter(({ type }) => type === 'PropertyDefinition').length
  })
  return fields
}
