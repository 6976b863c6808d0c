import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type Fault, lineAt } from '../fault.ts'
import { anchorsOf, withoutCode } from '../markdown.ts'
import { listFiles } from '../repo-files.ts'

interface Link {
  readonly url: string
  readonly line: number
}

const linkForms = [
  /\]\(\s*<?([^\s)>]+)>?(?:\s+["'(][^)]*)?\s*\)/g,
  /^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)/gm,
  /<(?:a|img)\s[^>]*?(?:href|src)="([^"]+)"/g,
]

/** Every relative link of a Markdown page has an existing target and anchor. */
export function docLinks(root: string): Fault[] {
  return listFiles(root, ['**/*.md']).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return linksOf(text).flatMap(({ url, line }) => {
      const message = brokenness(root, path, url)
      return message === undefined ? [] : [{ path, line, message }]
    })
  })
}

function linksOf(markdown: string): Link[] {
  const prose = withoutCode(markdown)
  return linkForms.flatMap((form) =>
    [...prose.matchAll(form)].map((match) => ({ url: match[1] ?? '', line: lineAt(prose, match.index) })),
  )
}

function brokenness(root: string, page: string, url: string): string | undefined {
  if (/^([a-z][a-z\d+.-]*:|\/\/)/i.test(url)) return undefined
  const [file = '', anchor] = decodeURI(url).split('#', 2)
  const goal = file === '' ? page : posix.join(posix.dirname(page), file)
  if (file.startsWith('/') || goal.startsWith('..')) return `link ${url} leaves the repository`
  if (!existsSync(join(root, goal))) return `link ${url} points at nothing`
  if (!anchor || !hasAnchors(root, goal)) return undefined
  const isThere = anchorsOf(readFileSync(join(root, goal), 'utf8')).has(anchor)
  return isThere ? undefined : `link ${url} names an anchor that is not there`
}

function hasAnchors(root: string, goal: string): boolean {
  return goal.endsWith('.md') && statSync(join(root, goal)).isFile()
}
