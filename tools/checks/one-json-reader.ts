import type { Node } from 'oxc-parser'
import { type Fault, lineAt } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { nameOf, readSource, type SourceFile, visitNodes } from '../source-file.ts'

const reader = 'packages/profile/src/parse-json.ts'

// Build scripts, like `tools`, read only files of the repository. The identity example imports no package of ours.
const exempt = [/^packages\/[^/]+\/build\.ts$/, /^examples\/identity\//]

/**
 * JSON is parsed by `parseJson` and `parseOwnJson` alone: the engine's parser mixes names with escapes up. The largest depth,
 * the look at a depth and the canonical text are defined once.
 */
export function oneJsonReader(root: string): Fault[] {
  const sources = listSources(root, ['packages', 'examples'])
    .filter((path) => !isTestFile(path) && !exempt.some((pattern) => pattern.test(path)))
    .map((path) => readSource(root, path))
  return [
    ...sources.filter(({ path }) => path !== reader).flatMap(parsesIn),
    ...definedAgain(sources.flatMap(definitionsIn)),
  ]
}

const ONCE = /^(?:MAX_(?:[A-Z]+_)?DEPTH|isDeeperThan|canonicalJson)$/
// A message around a document, and a chain of references, which is no depth of a value.
const OTHER_DEPTHS = ['MAX_MESSAGE_DEPTH', 'MAX_REF_DEPTH']

interface Definition extends Omit<Fault, 'message'> {
  /** Every depth is one thing, whatever its name. */
  readonly thing: string
}

function definitionsIn({ path, text, program }: SourceFile): Definition[] {
  const found: Definition[] = []
  visitNodes(program, function collectDefinition(node) {
    if (node.type !== 'VariableDeclarator' && node.type !== 'FunctionDeclaration') return
    const name = node.id === null ? undefined : nameOf(node.id)
    if (name === undefined || !ONCE.test(name) || OTHER_DEPTHS.includes(name)) return
    const thing = name.startsWith('MAX_') ? 'the largest depth of JSON' : name
    found.push({ path, line: lineAt(text, node.start), thing })
  })
  return found
}

function definedAgain(definitions: readonly Definition[]): Fault[] {
  return [...Map.groupBy(definitions, ({ thing }) => thing).values()]
    .filter((same) => same.length > 1)
    .flat()
    .map(({ path, line, thing }) => ({ path, line, message: `${thing} is defined more than once: keep one` }))
}

function parsesIn(source: SourceFile): Fault[] {
  const faults: Fault[] = []
  visitNodes(source.program, function collectParse(node) {
    const found = parserIn(node)
    if (found === undefined) return
    const message = `${found} mixes names with escapes up: use parseJson or parseOwnJson of the profile`
    faults.push({ path: source.path, line: lineAt(source.text, node.start), message })
  })
  return faults
}

/** `JSON.parse`, also without a call or taken apart, and the `json()` of a request or an answer. */
function parserIn(node: Node): string | undefined {
  if (node.type === 'MemberExpression' && nameOf(node.object) === 'JSON')
    return isParse(node.property) ? 'JSON.parse' : undefined
  if (node.type === 'VariableDeclarator' && nameOf(node.init) === 'JSON') return 'JSON.parse'
  const isCall = node.type === 'CallExpression' && node.arguments.length === 0
  const { callee } = isCall ? node : { callee: undefined }
  return callee?.type === 'MemberExpression' && nameOf(callee.property) === 'json' ? 'json()' : undefined
}

/** Only `stringify` is known to be something else. */
function isParse(property: Node): boolean {
  return nameOf(property) !== 'stringify'
}
