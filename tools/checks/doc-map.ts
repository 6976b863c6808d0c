import { posix } from 'node:path'
import { type Fault, lineAt } from '../fault.ts'
import { listFiles, readIfThere } from '../repo-files.ts'

const map = 'docs/README.md'

/** Pages outside the map: the map itself, and decision records, which have their own index. */
const unlisted = /^docs\/(README\.md$|decisions\/(?!README\.md$))/

/** The map of the documents lists every page of docs exactly once. */
export function docMap(root: string): Fault[] {
  const text = readIfThere(posix.join(root, map))
  if (text === undefined) return [{ path: map, line: 1, message: 'is not there' }]
  const lines = new Map<string, number[]>()
  for (const { 1: address = '', index } of text.matchAll(/\]\(([^)#:]+\.md)\)/g)) {
    const page = posix.join('docs', address)
    lines.set(page, [...(lines.get(page) ?? []), lineAt(text, index)])
  }
  return listFiles(root, ['docs/**/*.md'])
    .filter((page) => !unlisted.test(page))
    .flatMap((page) => faultsOf(page, lines.get(page) ?? []))
}

function faultsOf(page: string, [first, second]: readonly number[]): Fault[] {
  if (first === undefined) return [{ path: page, line: 1, message: `is not listed in ${map}` }]
  return second === undefined ? [] : [{ path: map, line: second, message: `lists ${page} a second time` }]
}
