import { headers } from '@agentic-rest/profile'
import type { Node } from 'oxc-parser'
import { literalText, nameOf, patternText, plainText } from '../../source-file.ts'
import { holdsHeaders, isNamedHeaders } from './holds-headers.ts'

const headerNames = new Set(Object.values(headers).map((name) => name.toLowerCase()))

/** The header names of the profile that a node spells. `trusted` are the file's names for the profile's own constants. */
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
  // `Pick<Caller, 'authorization'>` names a member of ours; no member of ours has a dash in its name.
  const isMember = parent?.type === 'TSLiteralType' && whole?.includes('-') === false
  return [
    ...(whole === undefined || isMember ? [] : [whole]),
    ...headerLines(text),
    ...headerList(text),
    ...(pattern.match(/[a-z-]+/g) ?? []),
  ]
}

// A line of a head as it goes over the wire or into a command. In the middle of a sentence it is prose.
function headerLines(text: string): string[] {
  return [...text.matchAll(/(?:^|[\r\n'"])([a-z-]+)[ \t]*:/g)].map(([, name = '']) => name)
}

function headerList(text: string): string[] {
  return /^[a-z-]+(\s*,\s*[a-z-]+)+$/.test(text) ? text.split(/\s*,\s*/) : []
}

/**
 * A key or a member that is a header's name. Names without a dash are good names for other things too, so they count
 * in capitals, or where the object is one of headers.
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
