import { conditions, headers, outcomes, VENDOR_PREFIX } from '@agentic-rest/profile'
import type { Node } from 'oxc-parser'
import { type Fault, lineAt } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { plainText, readSource, type SourceFile, visitNodes } from '../source-file.ts'

const home = 'packages/profile/src/'

const statuses = new Set<number>([
  ...Object.values(outcomes).map(({ status }) => status),
  ...Object.values(conditions),
])
const headerNames = new Set(Object.values(headers).map((name) => name.toLowerCase()))

// The prefix without its `application/`, and each subtype alone, so that gluing pieces together is seen as well.
const vendorTree = VENDOR_PREFIX.replace(/^[^/]*\//, '').replace(/\.$/, '')
const subtypes = Object.values(outcomes)
  .filter(({ mediaType }) => mediaType.startsWith(VENDOR_PREFIX))
  .map(({ mediaType }) => mediaType.slice(VENDOR_PREFIX.length))
const mediaTypeParts = new Set([vendorTree, ...subtypes])

// A name that ends in a unit, or begins with `max`, says that its number is a quantity and not a status.
const unitName =
  /(^|[a-z\d])(Ms|Seconds|Bytes|Entries|Length|Count|Depth)$|(^|_)(ms|seconds|bytes|entries|length|count|depth)$|(^|_)(MS|SECONDS|BYTES|ENTRIES|LENGTH|COUNT|DEPTH)$|^max([A-Z_]|$)|^MAX(_|$)/

interface Spelling {
  readonly kind: 'status' | 'media type' | 'header name'
  readonly value: string
  readonly path: string
  readonly line: number
}

/** Statuses, media types and header names of the profile are written in packages/profile/src, each in one file. */
export function oneHome(root: string): Fault[] {
  const spellings = listSources(root)
    .filter((path) => !isTestFile(path))
    .flatMap((path) => spellingsIn(readSource(root, path)))
  return [
    ...spellings.filter(({ path }) => !path.startsWith(home)).map(awayFromHome),
    ...spelledTwice(spellings.filter(({ path }) => path.startsWith(home))),
  ]
}

function awayFromHome({ path, line, kind, value }: Spelling): Fault {
  const message = `${kind} ${value} is spelled outside the profile: import it from @agentic-rest/profile`
  return { path, line, message }
}

function spelledTwice(spellings: readonly Spelling[]): Fault[] {
  const homes = Map.groupBy(spellings, ({ kind, value }) => `${kind} ${value}`)
  return [...homes].flatMap(([what, places]) => {
    const files = new Set(places.map(({ path }) => path))
    if (files.size === 1) return []
    const message = `${what} is spelled in ${files.size} files of the profile: keep one`
    return places.map(({ path, line }) => ({ path, line, message }))
  })
}

function spellingsIn(source: SourceFile): Spelling[] {
  const found: Spelling[] = []
  visitNodes(source.program, function collectSpellings(node, ancestors) {
    const line = lineAt(source.text, node.start)
    for (const what of [...statusesIn(node, ancestors), ...textSpellings(node)]) {
      found.push({ ...what, path: source.path, line })
    }
  })
  return found
}

type Found = Pick<Spelling, 'kind' | 'value'>

function statusesIn(node: Node, ancestors: readonly Node[]): Found[] {
  if (node.type !== 'Literal') return []
  const isStatus =
    typeof node.value === 'number'
      ? statuses.has(node.value) && !isQuantity(node, ancestors)
      : typeof node.value === 'string' && /^\d{3}$/.test(node.value) && statuses.has(Number(node.value))
  return isStatus ? [{ kind: 'status', value: String(node.value) }] : []
}

function textSpellings(node: Node): Found[] {
  const whole = plainText(node)?.toLowerCase()
  const isHeader = whole !== undefined && headerNames.has(whole)
  return [
    ...(isHeader ? [{ kind: 'header name', value: whole } as const] : []),
    ...textsOf(node).flatMap(mediaTypesIn),
  ]
}

// Template pieces come as TemplateElement nodes of their own; `\.` and `\/` of a pattern are read as `.` and `/`.
function textsOf(node: Node): string[] {
  if (node.type === 'TemplateElement') return [node.value.raw]
  if (node.type === 'JSXText') return [node.value]
  if (node.type !== 'Literal') return []
  if ('regex' in node) return [node.regex.pattern.replaceAll('\\', '')]
  return typeof node.value === 'string' ? [node.value] : []
}

function mediaTypesIn(text: string): Found[] {
  const lower = text.toLowerCase()
  return [...mediaTypeParts]
    .filter((part) => containsWord(lower, part))
    .map((value) => ({ kind: 'media type', value }))
}

// `error+json` is not part of `validation-error+json`.
function containsWord(text: string, word: string): boolean {
  return text
    .split(word)
    .slice(0, -1)
    .some((before) => !/[\w-]$/.test(before))
}

function isQuantity(node: Node, ancestors: readonly Node[]): boolean {
  let inner = node
  for (const outer of ancestors.toReversed()) {
    const naming = namingBy(outer, inner)
    if (naming !== undefined) return naming.name !== undefined && unitName.test(naming.name)
    inner = outer
  }
  return false
}

// A number in key position (`{ 404: … }`) is never a quantity, and a function's name says nothing of its numbers.
function namingBy(outer: Node, inner: Node): { name: string | undefined } | undefined {
  switch (outer.type) {
    case 'Property':
    case 'PropertyDefinition':
    case 'TSPropertySignature':
      return { name: outer.key === inner ? undefined : nameOf(outer.key) }
    case 'VariableDeclarator':
      return { name: nameOf(outer.id) }
    case 'AssignmentExpression':
    case 'AssignmentPattern':
      return { name: nameOf(outer.left) }
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
      return { name: undefined }
    default:
      return undefined
  }
}

function nameOf(node: Node): string | undefined {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return node.name
  if (node.type === 'MemberExpression') return nameOf(node.property)
  return plainText(node)
}
