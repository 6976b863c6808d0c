import type { Node } from 'oxc-parser'
import { type Fault, lineAt } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { readSource, type SourceFile, visitNodes } from '../source-file.ts'
import { findHeaderNames } from './one-home/find-header-names.ts'
import { findMediaTypes } from './one-home/find-media-types.ts'
import { findStatuses } from './one-home/find-statuses.ts'
import { trustedNames } from './one-home/trusted-names.ts'

const home = 'packages/profile/src/'

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
