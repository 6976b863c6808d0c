import type { Node } from 'oxc-parser'
import { type Fault, lineAt } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { nameOf, readSource, type SourceFile, visitNodes } from '../source-file.ts'

const reader = 'packages/profile/src/parse-json.ts'

// Build scripts, like `tools`, read only files of the repository. The identity example imports no package of ours.
const exempt = [/^packages\/[^/]+\/build\.ts$/, /^examples\/identity\//]

/** JSON is parsed by `parseJson` and `parseOwnJson` alone: the engine's parser mixes names with escapes up. */
export function oneJsonReader(root: string): Fault[] {
  return listSources(root, ['packages', 'examples'])
    .filter((path) => path !== reader && !isTestFile(path) && !exempt.some((pattern) => pattern.test(path)))
    .flatMap((path) => parsesIn(readSource(root, path)))
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
