import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FencedBlock, fencedBlocks } from '../tools/markdown.ts'
import { listFiles } from '../tools/repo-files.ts'
import { modulesUsed, parseSource } from '../tools/source-file.ts'
import { readWorkspaces } from '../tools/workspaces.ts'

/** The commands of one block with its position and, if shown, their output. */
export interface DocumentedSession {
  readonly page: string
  readonly place: string
  readonly commands: readonly string[]
  readonly output: string | undefined
}

/** A complete program of a page with its output, if shown. */
export interface DocumentedProgram {
  readonly place: string
  readonly source: string
  readonly output: string | undefined
}

// A page that is run as a whole, in a folder of its own (tests/init-project.all.test.ts).
const TUTORIAL = 'docs/tutorial.md'

/** The pages with tested code. */
export function documentedPages(root: string): string[] {
  const pages = listFiles(root, ['*.md', 'docs/**/*.md', '{packages,examples}/*/*.md'])
  return pages.filter((page) => page !== TUTORIAL)
}

/** All `sh` blocks: one command per line, continued lines joined, the parts of `a && b` separate. */
export function documentedSessions(root: string): DocumentedSession[] {
  const blocks = blocksOf(root)
  return blocks.flatMap(({ page, block, runs }, index) => {
    if (runs !== 'commands') return []
    const place = `${page}:${block.line}`
    return [{ page, place, commands: commandsIn(block.text), output: outputOf(blocks, index) }]
  })
}

/** The commands of one block, without comments and without the prompt `$ `. */
export function commandsIn(text: string): string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => line.replace(/^\$ /, '').split(' && '))
    .map((command) => command.replace(/\s+#.*$/, '').trim())
    .filter((command) => command !== '' && !command.startsWith('#'))
}

/** All `ts` blocks that begin with imports and import a package of this repository. */
export function documentedPrograms(root: string): DocumentedProgram[] {
  const blocks = blocksOf(root)
  return blocks.flatMap(({ page, block, runs }, index) => {
    if (runs !== 'program') return []
    return [{ place: `${page}:${block.line}`, source: block.text, output: outputOf(blocks, index) }]
  })
}

/** Output blocks without a command or program before them on their page. */
export function outputsOfNothing(root: string): string[] {
  const blocks = blocksOf(root)
  return blocks
    .filter(({ page, block }, index) => {
      const before = blocks[index - 1]
      return isOutput(block) && !(before?.runs !== undefined && before.page === page)
    })
    .map(({ page, block }) => `${page}:${block.line}`)
}

interface PageBlock {
  readonly page: string
  readonly block: FencedBlock
  readonly runs: 'commands' | 'program' | undefined
}

function blocksOf(root: string): PageBlock[] {
  const names = readWorkspaces(root).map(({ manifest }) => manifest.name ?? '')
  return documentedPages(root).flatMap((page) =>
    fencedBlocks(readFileSync(join(root, page), 'utf8')).map((block) => ({
      page,
      block,
      runs: whatRuns(block, names),
    })),
  )
}

function outputOf(blocks: readonly PageBlock[], index: number): string | undefined {
  const next = blocks[index + 1]
  return next !== undefined && next.page === blocks[index]?.page && isOutput(next.block)
    ? next.block.text
    : undefined
}

function isOutput({ info }: FencedBlock): boolean {
  return info === 'text output'
}

function whatRuns(block: FencedBlock, names: readonly string[]): PageBlock['runs'] {
  if (/^(sh|bash|shell|console|zsh)\b/.test(block.info)) return 'commands'
  return isProgram(block, names) ? 'program' : undefined
}

function isProgram({ info, text }: FencedBlock, names: readonly string[]): boolean {
  if (!/^(ts|typescript)\b/.test(info) || !/^import\b/.test(text.trimStart())) return false
  const uses = modulesUsed(parseSource('block.ts', text))
  return uses.some(({ specifier }) => names.some((name) => `${specifier}/`.startsWith(`${name}/`)))
}
