import { posix } from 'node:path'
import { outcomes, VENDOR_PREFIX } from '@agentic-rest/profile'
import type { Node } from 'oxc-parser'
import { type Fault, lineAt } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { literalText, patternText, readSource, type SourceFile, visitNodes } from '../source-file.ts'
import { findHeaderNames } from './one-home/header-names.ts'
import { findStatuses } from './one-home/statuses.ts'

const home = 'packages/profile/src/'
/** It implements HTTP for any proxy, and may not import the profile: its statuses are those of HTTP itself. */
const wire = 'packages/http1/src/'

interface Spelling {
  readonly kind: 'status' | 'media type' | 'header name'
  readonly value: string
  readonly path: string
  readonly line: number
}

/** Statuses, media types and header names of the profile appear only in packages/profile/src, each in one file. */
export function oneHome(root: string): Fault[] {
  const spellings = listSources(root)
    .filter((path) => !isTestFile(path) && !path.startsWith(wire))
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
  const trusted = trustedNames(source)
  visitNodes(source.program, function collectSpellings(node, ancestors) {
    for (const what of spelledBy(node, ancestors, trusted)) {
      found.push({ ...what, path: source.path, line: lineAt(source.text, node.start) })
    }
  })
  return found
}

function spelledBy(
  node: Node,
  ancestors: readonly Node[],
  trusted: ReadonlySet<string>,
): Pick<Spelling, 'kind' | 'value'>[] {
  return [
    ...findStatuses(node, ancestors).map((value) => ({ kind: 'status', value }) as const),
    ...findHeaderNames(node, ancestors, trusted).map((value) => ({ kind: 'header name', value }) as const),
    ...findMediaTypes(node).map((value) => ({ kind: 'media type', value }) as const),
  ]
}

// The prefix without `application/`, and each subtype alone: concatenated parts are found too.
const vendorTree = VENDOR_PREFIX.replace(/^[^/]*\//, '').replace(/\.$/, '')
const subtypes = Object.values(outcomes)
  .filter(({ mediaType }) => mediaType.startsWith(VENDOR_PREFIX))
  .map(({ mediaType }) => mediaType.slice(VENDOR_PREFIX.length))
const parts = new Set([vendorTree, ...subtypes])

/** The media types of the profile, or their parts, in one node. */
function findMediaTypes(node: Node): string[] {
  const text = literalText(node) ?? patternText(node)?.replaceAll('\\', '')
  if (text === undefined) return []
  return [...parts].filter((part) => containsWord(text.toLowerCase(), part))
}

// `error+json` is not part of `validation-error+json`.
function containsWord(text: string, word: string): boolean {
  return text
    .split(word)
    .slice(0, -1)
    .some((before) => !/[\w-]$/.test(before))
}

/**
 * The names that a file imports from the profile. A name with a second declaration in the file is left out: its uses are
 * ambiguous.
 */
function trustedNames(source: SourceFile): Set<string> {
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
