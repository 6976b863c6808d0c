import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Comment, type Node, parseSync, visitorKeys } from 'oxc-parser'
import { lineAt } from './fault.ts'

/** A parsed script of the repository. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  readonly program: Node
  readonly comments: readonly Comment[]
}

/** One use of another module: import, re-export, `import()`, `require` or import type. */
export interface ModuleUse {
  readonly specifier: string
  readonly line: number
}

/** Parses one file. A file with syntax errors is read in part; `tsc` and Biome report the errors. */
export function readSource(root: string, path: string): SourceFile {
  return parseSource(path, readFileSync(join(root, path), 'utf8'))
}

/** Parses a text as the file `path`. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, comments } = parseSync(path, text)
  return { path, text, program, comments }
}

/** Calls `visit` for each node, parents first, with its ancestors (nearest last). */
export function visitNodes(program: Node, visit: (node: Node, ancestors: readonly Node[]) => void): void {
  const open: { node: Node; ancestors: readonly Node[] }[] = [{ node: program, ancestors: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, ancestors } = next
    visit(node, ancestors)
    const inner = [...ancestors, node]
    for (const child of childrenOf(node).toReversed()) open.push({ node: child, ancestors: inner })
  }
}

function childrenOf(node: Node): Node[] {
  const fields = node as unknown as Readonly<Record<string, unknown>>
  return (visitorKeys[node.type] ?? []).flatMap((key) => fields[key]).filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** The text of a string literal or a template without expressions; undefined for any other node. */
export function plainText(node: Node | null | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return node.quasis[0]?.value.cooked ?? undefined
  }
  return undefined
}

/** The text of a string, of a part of a template, or between JSX tags. */
export function literalText(node: Node): string | undefined {
  if (node.type === 'TemplateElement') return node.value.cooked ?? node.value.raw
  if (node.type === 'JSXText') return node.value
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

/** The source of a regular expression, with its backslashes. */
export function patternText(node: Node): string | undefined {
  return node.type === 'Literal' && 'regex' in node ? node.regex.pattern : undefined
}

/** The name of a node: an identifier, the last part of `a.b`, the function of a call, a string used as a key. */
export function nameOf(node: Node | null | undefined): string | undefined {
  switch (node?.type) {
    case 'Identifier':
    case 'PrivateIdentifier':
    case 'JSXIdentifier':
      return node.name
    case 'MemberExpression':
      return nameOf(node.property)
    case 'CallExpression':
      return nameOf(node.callee)
    case 'AwaitExpression':
      return nameOf(node.argument)
    case 'ChainExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
      return nameOf(node.expression)
    default:
      return plainText(node)
  }
}

/** All modules that a file uses, types included. */
export function modulesUsed(source: SourceFile): ModuleUse[] {
  const uses: ModuleUse[] = []
  visitNodes(source.program, function collectModule(node) {
    const specifier = plainText(moduleNode(node))
    if (specifier !== undefined) uses.push({ specifier, line: lineAt(source.text, node.start) })
  })
  return uses
}

function moduleNode(node: Node): Node | null | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source
    case 'TSExternalModuleReference':
      return node.expression
    case 'CallExpression':
      return isResolver(node.callee) ? node.arguments[0] : undefined
    default:
      return undefined
  }
}

// `require(x)` and `import.meta.resolve(x)` load a module like an import.
function isResolver(callee: Node): boolean {
  if (callee.type === 'Identifier') return callee.name === 'require'
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'MetaProperty' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 'resolve'
  )
}
