import { conditions, malformedStatuses, outcomes } from '@agentic-rest/profile'
import type { Node } from 'oxc-parser'
import { literalText, nameOf } from '../../source-file.ts'

const statuses = new Set<number>([
  ...Object.values(outcomes).map(({ status }) => status),
  ...Object.values(conditions),
  ...Object.values(malformedStatuses),
])

/** The statuses of the profile in one node: as a number, as digits, or in a status line. */
export function findStatuses(node: Node, ancestors: readonly Node[]): string[] {
  if (node.type === 'Literal' && typeof node.value === 'number') {
    return statuses.has(node.value) && !isQuantity(node, ancestors) ? [String(node.value)] : []
  }
  const text = literalText(node) ?? ''
  const spelled = [/^\d{3}$/.exec(text)?.[0], /HTTP\/\d(?:\.\d)?\s+(\d{3})\b/i.exec(text)?.[1]]
  return spelled.filter((digits) => digits !== undefined && statuses.has(Number(digits))) as string[]
}

// A name with a unit at its end or `max` at its beginning marks a quantity, not a status.
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

// The arguments of these functions are of the same kind as their result.
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

/** Whether the nearest name around a number marks it as a quantity. */
function isQuantity(node: Node, ancestors: readonly Node[]): boolean {
  let inner = node
  for (const outer of ancestors.toReversed()) {
    const name = givenName(outer, inner)
    if (name !== undefined) return quantityName.test(name) && !statusName.test(name)
    if (!passesOn(outer, inner)) return false
    inner = outer
  }
  return false
}

/** The name that `outer` gives to `inner`; a number as a key (`{ 404: … }`) has none. */
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

// The name does not describe a number that is compared, used as an index or passed to a function.
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
