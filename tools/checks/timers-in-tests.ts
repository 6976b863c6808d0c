import type { Node } from 'oxc-parser'
import { type Fault, lineAt } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { nameOf, plainText, readSource, type SourceFile, visitNodes } from '../source-file.ts'

const MODULES = new Set(['node:timers/promises', 'timers/promises', 'node:timers', 'timers'])
// The home of timers, and the tests that a new project starts with.
const exempt = ['packages/testing/', 'packages/cli/template/']
const REASON = /^\s*Wait: \S/
const message =
  'a timer makes a test depend on the speed of the machine: wait for the event, or give the reason beside it in a comment that begins with `// Wait:`'

/** A test outside packages/testing waits for events. Each timer that it sets has its reason beside it. */
export function timersInTests(root: string): Fault[] {
  return listSources(root, ['packages', 'examples', 'tests', 'tools'])
    .filter((path) => isTestFile(path) && !exempt.some((folder) => path.startsWith(folder)))
    .flatMap((path) => timersIn(readSource(root, path)))
}

function timersIn(source: SourceFile): Fault[] {
  const names = timerNames(source)
  const explained = explainedLines(source)
  const faults: Fault[] = []
  visitNodes(source.program, function collectTimer(node, ancestors) {
    if (!isTimer(node, ancestors, names)) return
    const line = lineAt(source.text, node.start)
    if (!explained.has(line)) faults.push({ path: source.path, line, message })
  })
  return faults
}

/** The global timer, the usual name of a promise of one, and the names under which a file imports one. */
function timerNames({ program }: SourceFile): ReadonlySet<string> {
  const names = new Set(['setTimeout', 'sleep'])
  visitNodes(program, function collectName(node, ancestors) {
    if (node.type !== 'ImportSpecifier' || nameOf(node.imported) !== 'setTimeout') return
    const from = ancestors.at(-1)
    if (from?.type === 'ImportDeclaration' && MODULES.has(plainText(from.source) ?? ''))
      names.add(node.local.name)
  })
  return names
}

/** Whether a node calls a timer or hands one on. `sleep` as a method belongs to a clock, which a test may replace. */
function isTimer(node: Node, ancestors: readonly Node[], names: ReadonlySet<string>): boolean {
  if (node.type !== 'Identifier' || !names.has(node.name)) return false
  const parent = ancestors.at(-1)
  if (parent?.type === 'MemberExpression' && parent.property === node) return node.name === 'setTimeout'
  if (parent?.type === 'CallExpression') return true
  return false
}

/** The lines that have such a comment, and the lines below one. */
function explainedLines({ text, comments }: SourceFile): ReadonlySet<number> {
  const lines = new Set<number>()
  let lastReason = Number.NaN
  for (const { value, start, end } of comments) {
    const line = lineAt(text, start)
    // A reason may go on in the comment on the next line.
    if (!REASON.test(value) && line !== lastReason + 1) continue
    lastReason = lineAt(text, end)
    lines.add(line).add(lastReason + 1)
  }
  return lines
}
