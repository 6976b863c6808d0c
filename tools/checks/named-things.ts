import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectScripts } from '../../packages/cli/src/init/package-file.ts'
import { type Fault, lineAt } from '../fault.ts'
import { isTestFile, listFiles, listSources } from '../repo-files.ts'
import { readManifest, readWorkspaces } from '../workspaces.ts'

interface Repo {
  readonly root: string
  readonly decisions: ReadonlySet<number>
  readonly scripts: ReadonlySet<string>
  /** The export paths of each package, by its name. */
  readonly packages: ReadonlyMap<string, readonly string[]>
}

interface Mention {
  readonly text: string
  readonly index: number
}

/** A kind of name: how to find it in a text, and how to check it. */
interface Kind {
  readonly pages: 'Markdown' | 'all'
  find(text: string): Mention[]
  judge(name: string, repo: Repo): string | undefined
}

const kinds: readonly Kind[] = [
  {
    pages: 'all',
    find: decisionNumbers,
    judge: (number, { decisions }) =>
      decisions.has(Number(number)) ? undefined : `decision ${number} has no record in docs/decisions`,
  },
  { pages: 'all', find: (text) => matches(text, /\bdocs\/[\w./-]+\.md\b/g), judge: isMissing },
  {
    pages: 'Markdown',
    find: (text) => matches(text, /(?<=`)(?:packages|docs|tools|tests|examples|\.ci)\/[\w./-]+(?=`)/g),
    judge: isMissing,
  },
  {
    pages: 'Markdown',
    find: (text) => matches(text, /@agentic-rest\/[a-z\d-]+(?:\/[\w./-]*\w)?/g),
    judge: isNotImportable,
  },
  {
    pages: 'Markdown',
    find: (text) => matches(text, /(?<=npm run (?:--silent )?)[a-z][\w:-]*/g),
    judge: (name, { scripts }) =>
      scripts.has(name) ? undefined : `npm run ${name} is no script of package.json`,
  },
]

/** Decisions, pages, paths, packages and scripts named in pages and comments exist. Test files are not checked. */
export function namedThings(root: string): Fault[] {
  const repo = readRepo(root)
  const sources = listSources(root).filter((path) => !isTestFile(path))
  return [...listFiles(root, ['**/*.md']), ...sources].flatMap((path) => faultsIn(path, repo))
}

function faultsIn(path: string, repo: Repo): Fault[] {
  const text = readFileSync(join(repo.root, path), 'utf8')
  const faults = kinds
    .filter(({ pages }) => pages === 'all' || path.endsWith('.md'))
    .flatMap(({ find, judge }) =>
      find(text).flatMap((mention) => {
        const message = judge(mention.text, repo)
        return message === undefined ? [] : [{ path, line: lineAt(text, mention.index), message }]
      }),
    )
  // Two kinds find the path of a page in inline code; one fault is enough.
  return faults.filter(
    ({ line, message }, index) =>
      faults.findIndex((other) => other.line === line && other.message === message) === index,
  )
}

function readRepo(root: string): Repo {
  const records = listFiles(root, ['docs/decisions/*.md']).map((path) => /(\d{4})-[^/]*$/.exec(path)?.[1])
  return {
    root,
    decisions: new Set(records.map(Number)),
    // Pages also name the scripts of a project that `agentic init` writes.
    scripts: new Set(Object.keys({ ...readManifest(root, '.').manifest.scripts, ...projectScripts })),
    packages: new Map(
      readWorkspaces(root).map(({ manifest }) => [manifest.name ?? '', Object.keys(manifest.exports ?? {})]),
    ),
  }
}

function matches(text: string, form: RegExp): Mention[] {
  return [...text.matchAll(form)].map((match) => ({ text: match[0], index: match.index }))
}

// `decision 4`, `decisions 4, 5 and 17`, also across line ends and the stars of a comment.
function decisionNumbers(text: string): Mention[] {
  const form = /\bdecisions?\s+(?:[*/]+\s+)?(\d+(?:(?:,|,? and|,? or| to)\s+(?:[*/]+\s+)?\d+)*)\b/gi
  return [...text.matchAll(form)].flatMap(({ 1: numbers = '', index }) =>
    [...numbers.matchAll(/\d+/g)].map(([number]) => ({ text: number, index })),
  )
}

/** Methods of MCP that look like paths of this repository. */
const mcpMethods: ReadonlySet<string> = new Set(['tools/call', 'tools/list'])

function isMissing(path: string, { root }: Repo): string | undefined {
  if (mcpMethods.has(path)) return undefined
  // `dep-NAME.md` and `v0.N` are placeholders.
  if (/\bNAME\b|\.N\b/.test(path) || existsSync(join(root, path))) return undefined
  return `${path} is not there`
}

function isNotImportable(specifier: string, { packages }: Repo): string | undefined {
  const [scope, name, ...rest] = specifier.split('/')
  const exports = packages.get(`${scope}/${name}`)
  if (exports === undefined) return `${specifier} is no package of this repository`
  const subpath = ['.', ...rest].join('/')
  const isExported = exports.some((key) =>
    key.endsWith('*') ? subpath.startsWith(key.slice(0, -1)) : key === subpath,
  )
  return isExported ? undefined : `${specifier} is not among the exports of its package`
}
