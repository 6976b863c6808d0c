import { posix } from 'node:path'
import type { Node } from 'oxc-parser'
import { type SourceFile, visitNodes } from '../../source-file.ts'

const home = 'packages/profile/src/'

/**
 * The names under which a file has the profile's own constants. One that the file declares once more is left out:
 * nothing here tells which of the two a use means.
 */
export function trustedNames(source: SourceFile): Set<string> {
  const imported: string[] = []
  const declared = new Set<string>()
  visitNodes(source.program, function collectNames(node) {
    if (node.type === 'ImportDeclaration' && isProfile(source.path, node.source.value))
      imported.push(...node.specifiers.map(({ local }) => local.name))
    for (const name of patternsOf(node).flatMap(boundNames)) declared.add(name)
  })
  return new Set(imported.filter((name) => !declared.has(name)))
}

function isProfile(path: string, specifier: string): boolean {
  if (!specifier.startsWith('.')) return specifier === '@agentic-rest/profile'
  return posix.join(posix.dirname(path), specifier).startsWith(home)
}

function patternsOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return [node.id]
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.params
    default:
      return []
  }
}

function boundNames(pattern: Node | null): string[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name]
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) => boundNames(each.type === 'Property' ? each.value : each))
    case 'ArrayPattern':
      return pattern.elements.flatMap(boundNames)
    case 'AssignmentPattern':
      return boundNames(pattern.left)
    case 'RestElement':
      return boundNames(pattern.argument)
    default:
      return []
  }
}
