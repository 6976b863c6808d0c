import type { Node } from 'oxc-parser'
import { nameOf } from '../../source-file.ts'

// A name that ends in a unit, or begins with `max`, says that its number is a quantity and not a status.
const units = ['Ms', 'Milliseconds', 'Seconds', 'Minutes', 'Bytes', 'Entries', 'Length', 'Count', 'Depth']
const quantityName = new RegExp(
  [
    `(^|[a-z\\d])(${units.join('|')})$`,
    `(^|_)(${units.join('|').toLowerCase()})$`,
    `(^|_)(${units.join('|').toUpperCase()})$`,
    '^max([A-Z_]|$)',
    '^MAX(_|$)',
  ].join('|'),
)
const statusName = /status|code/i

// What these are given is of the kind of what they are called on or return.
const passingCalls = new Set(['default', 'min', 'max'])
const passingNodes = new Set([
  'ArrayExpression',
  'ConditionalExpression',
  'JSXExpressionContainer',
  'LogicalExpression',
  'TSAsExpression',
  'TSLiteralType',
  'TSSatisfiesExpression',
  'TSTypeAnnotation',
  'TSUnionType',
  'UnaryExpression',
])

/** Whether the nearest name around a number says that it counts something. */
export function isQuantity(node: Node, ancestors: readonly Node[]): boolean {
  let inner = node
  for (const outer of ancestors.toReversed()) {
    const name = givenName(outer, inner)
    if (name !== undefined) return quantityName.test(name) && !statusName.test(name)
    if (!passesOn(outer, inner)) return false
    inner = outer
  }
  return false
}

/** The name that `outer` gives to its part `inner`; a number in key position (`{ 404: … }`) has none. */
function givenName(outer: Node, inner: Node): string | undefined {
  switch (outer.type) {
    case 'Property':
    case 'PropertyDefinition':
    case 'TSPropertySignature':
      return outer.key === inner ? '' : nameOf(outer.key)
    case 'VariableDeclarator':
      return nameOf(outer.id)
    case 'AssignmentExpression':
    case 'AssignmentPattern':
      return nameOf(outer.left)
    case 'JSXAttribute':
      return nameOf(outer.name)
    default:
      return undefined
  }
}

// What is compared, looked up or handed to a function is not what the name around it speaks of.
function passesOn(outer: Node, inner: Node): boolean {
  switch (outer.type) {
    case 'BinaryExpression':
      return !/^(?:[=!]==?|[<>]=?|in|instanceof)$/.test(outer.operator)
    case 'MemberExpression':
      return outer.object === inner
    case 'CallExpression':
      return outer.callee === inner || passingCalls.has(nameOf(outer.callee) ?? '')
    default:
      return passingNodes.has(outer.type)
  }
}
