import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { type FencedBlock, fencedBlocks } from '../tools/markdown.ts'
import { listFiles } from '../tools/repo-files.ts'
import { modulesUsed } from '../tools/source-file.ts'
import { readWorkspaces } from '../tools/workspaces.ts'

/** One command of a page, with where it stands. */
export interface DocumentedCommand {
  readonly place: string
  readonly command: string
}

/** A complete program of a page and, when the page shows it, what it prints. */
export interface DocumentedProgram {
  readonly place: string
  readonly source: string
  readonly output: string | undefined
}

/** The pages whose code is held to be true. */
export function documentedPages(root: string): string[] {
  return listFiles(root, ['*.md', 'docs/**/*.md', '{packages,examples}/*/*.md'])
}

/** The commands of every `sh` block: one per line, continued lines joined, each part of `a && b` on its own. */
export function documentedCommands(root: string): DocumentedCommand[] {
  return blocksOf(root)
    .filter(({ block }) => /^(sh|bash|shell|console|zsh)\b/.test(block.info))
    .flatMap(({ page, block }) =>
      commandsIn(block.text).map((command) => ({ place: `${page}:${block.line}`, command })),
    )
}

/** The commands of one block. Comments are not commands; a `$ ` in front is a prompt. */
export function commandsIn(text: string): string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => line.replace(/^\$ /, '').split(' && '))
    .map((command) => command.replace(/\s+#.*$/, '').trim())
    .filter((command) => command !== '' && !command.startsWith('#'))
}

/** Every `ts` block that begins by importing and imports from a package of this repository. */
export function documentedPrograms(root: string): DocumentedProgram[] {
  const blocks = blocksOf(root)
  return blocks.flatMap(({ page, block, isProgram }, index) => {
    if (!isProgram) return []
    const next = blocks[index + 1]
    const output = next?.page === page && isOutput(next.block) ? next.block.text : undefined
    return [{ place: `${page}:${block.line}`, source: block.text, output }]
  })
}

/** Blocks that claim to be a program's output although no program stands before them on their page. */
export function outputsWithoutProgram(root: string): string[] {
  const blocks = blocksOf(root)
  return blocks
    .filter(({ page, block }, index) => {
      const before = blocks[index - 1]
      return isOutput(block) && !(before?.isProgram && before.page === page)
    })
    .map(({ page, block }) => `${page}:${block.line}`)
}

interface PageBlock {
  readonly page: string
  readonly block: FencedBlock
  readonly isProgram: boolean
}

function blocksOf(root: string): PageBlock[] {
  const names = readWorkspaces(root).map(({ manifest }) => manifest.name ?? '')
  return documentedPages(root).flatMap((page) =>
    fencedBlocks(readFileSync(join(root, page), 'utf8')).map((block) => ({
      page,
      block,
      isProgram: isProgram(block, names),
    })),
  )
}

function isOutput({ info }: FencedBlock): boolean {
  return info === 'text output'
}

function isProgram({ info, text }: FencedBlock, names: readonly string[]): boolean {
  if (!/^(ts|typescript)\b/.test(info) || !/^import\b/.test(text.trimStart())) return false
  const uses = modulesUsed({ path: 'block.ts', text, program: parseSync('block.ts', text).program })
  return uses.some(({ specifier }) => names.some((name) => `${specifier}/`.startsWith(`${name}/`)))
}
