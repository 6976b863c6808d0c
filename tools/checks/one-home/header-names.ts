import { headers } from '@agentic-rest/profile'
import type { Node } from 'oxc-parser'
import { literalText, nameOf, patternText, plainText } from '../../source-file.ts'

const headerNames = new Set(Object.values(headers).map((name) => name.toLowerCase()))

/** The header names of the profile in one node. `trusted` are the file's imports from the profile. */
export function findHeaderNames(
  node: Node,
  ancestors: readonly Node[],
  trusted: ReadonlySet<string>,
): string[] {
  const identifier = identifierSpelling(node, ancestors, trusted)
  const found = identifier === undefined ? textSpellings(node, ancestors.at(-1)) : [identifier]
  return found.filter((name) => headerNames.has(name))
}

function textSpellings(node: Node, parent: Node | undefined): string[] {
  const whole = plainText(node)?.toLowerCase()
  const text = literalText(node)?.toLowerCase() ?? ''
  const pattern = patternText(node)?.toLowerCase() ?? ''
  // `Pick<Caller, 'authorization'>` names a member; members have no dash in their names.
  const isMember = parent?.type === 'TSLiteralType' && whole?.includes('-') === false
  return [
    ...(whole === undefined || isMember ? [] : [whole]),
    ...headerLines(text),
    ...headerList(text),
    ...(pattern.match(/[a-z-]+/g) ?? []),
  ]
}

// A header line, on the wire or in a command. In the middle of a sentence it is prose.
function headerLines(text: string): string[] {
  return [...text.matchAll(/(?:^|[\r\n'"])([a-z-]+)[ \t]*:/g)].map(([, name = '']) => name)
}

function headerList(text: string): string[] {
  return /^[a-z-]+(\s*,\s*[a-z-]+)+$/.test(text) ? text.split(/\s*,\s*/) : []
}

/**
 * A header name as a key or member. Names without a dash have other uses too: they count only in capitals or in an object
 * of headers.
 */
function identifierSpelling(
  node: Node,
  ancestors: readonly Node[],
  trusted: ReadonlySet<string>,
): string | undefined {
  if (node.type === 'MemberExpression' && !node.computed) {
    if (isTrusted(node.object, trusted)) return undefined
    return spellingOf(node.property, isNamedHeaders(nameOf(node.object)))
  }
  if (node.type !== 'Property' || node.computed || node.key.type !== 'Identifier') return undefined
  return spellingOf(
    node.key,
    holdsHeaders(ancestors, (object) => isTrusted(object, trusted)),
  )
}

function spellingOf(name: Node, isAmongHeaders: boolean): string | undefined {
  if (name.type !== 'Identifier') return undefined
  if (isAmongHeaders) return toKebabCase(name.name)
  return /^[A-Z]/.test(name.name) ? name.name.toLowerCase() : undefined
}

function toKebabCase(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

function isTrusted(object: Node, trusted: ReadonlySet<string>): boolean {
  if (object.type === 'MemberExpression') return isTrusted(object.object, trusted)
  return object.type === 'Identifier' && trusted.has(object.name)
}

const passingNodes = new Set([
  'AwaitExpression',
  'BlockStatement',
  'ConditionalExpression',
  'IfStatement',
  'LogicalExpression',
  'ObjectExpression',
  'ObjectPattern',
  'ParenthesizedExpression',
  'ReturnStatement',
  'SpreadElement',
  'TSAsExpression',
  'TSSatisfiesExpression',
])

/** Whether a name is usual for headers. */
function isNamedHeaders(name: string | undefined): boolean {
  return name !== undefined && /headers$/i.test(name)
}

/** Whether a key belongs to an object of headers, by the name of the object's variable, property or source. */
function holdsHeaders(ancestors: readonly Node[], isTrusted: (object: Node) => boolean): boolean {
  const [object, ...around] = ancestors.toReversed()
  if (object === undefined) return false
  let inner = object
  for (const outer of around) {
    if (outer.type === 'NewExpression' || outer.type === 'CallExpression')
      return takesHeaders(nameOf(outer.callee))
    const other = counterpart(outer, inner)
    if (other !== undefined) return !isTrusted(other) && isNamedHeaders(nameOf(other))
    if (!passesOn(outer, inner)) return false
    inner = outer
  }
  return false
}

// Only these functions show by their name that they take headers.
function takesHeaders(callee: string | undefined): boolean {
  return callee === 'Headers' || callee === 'writeHead' || callee === 'setHeaders'
}

/** The node that names `inner`: its key, variable or function, or the source of a pattern. */
function counterpart(outer: Node, inner: Node): Node | undefined {
  switch (outer.type) {
    case 'Property':
    case 'PropertyDefinition':
      return outer.key
    case 'VariableDeclarator':
      return (outer.init === inner ? outer.id : outer.init) ?? undefined
    case 'AssignmentExpression':
      return outer.right === inner ? outer.left : outer.right
    case 'AssignmentPattern':
      return outer.right === inner ? outer.left : undefined
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return outer.body === inner ? (outer.id ?? undefined) : undefined
    default:
      return undefined
  }
}

function passesOn(outer: Node, inner: Node): boolean {
  switch (outer.type) {
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return outer.body === inner
    case 'AssignmentPattern':
      return outer.left === inner
    default:
      return passingNodes.has(outer.type)
  }
}
