import type { Node } from 'oxc-parser'
import { nameOf } from '../../source-file.ts'

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

/** Whether a name is one that people give to headers. */
export function isNamedHeaders(name: string | undefined): boolean {
  return name !== undefined && /headers$/i.test(name)
}

/** Whether a key stands in an object of headers, by the name of what the object becomes or is taken from. */
export function holdsHeaders(ancestors: readonly Node[], isTrusted: (object: Node) => boolean): boolean {
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

// What a function is called does not tell what it is given, but for these.
function takesHeaders(callee: string | undefined): boolean {
  return callee === 'Headers' || callee === 'writeHead' || callee === 'setHeaders'
}

/** What tells what `inner` is: the key, variable or function that gets it, or the value that a pattern takes apart. */
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
