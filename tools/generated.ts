import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, lineAt } from './fault.ts'
import { listFiles, readIfThere } from './repo-files.ts'

/** A generator of whole files or of a marked section of Markdown pages. */
export type Generator = FileGenerator | FolderGenerator | SectionGenerator

interface FileGenerator {
  readonly type: 'file'
  readonly path: string
  content(): string | Promise<string>
}

interface FolderGenerator {
  readonly type: 'folder'
  readonly path: string
  /** The content by file name. Any other file in the folder is a fault. */
  content(): Files | Promise<Files>
}

interface SectionGenerator {
  readonly type: 'section'
  readonly name: string
  readonly pages: readonly string[]
  content(): string | Promise<string>
}

type Files = Readonly<Record<string, string>>

/** The files to write, and the faults that prevent it. */
export interface Plan {
  /** The whole content of every file with generated parts, by its path. */
  readonly files: ReadonlyMap<string, string>
  readonly faults: readonly Fault[]
}

/** Computes all generated files without writing them. */
export async function planGeneration(root: string, generators: readonly Generator[]): Promise<Plan> {
  const files = new Map<string, string>()
  const faults: Fault[] = []
  for (const generator of generators) {
    switch (generator.type) {
      case 'file':
        files.set(generator.path, await generator.content())
        break
      case 'folder':
        faults.push(...addFolder(root, generator.path, { files, contents: await generator.content() }))
        break
      case 'section':
        faults.push(...addSection(root, generator, { files, content: await generator.content() }))
        break
    }
  }
  return { files, faults: [...faults, ...unknownSections(root, generators)] }
}

function addFolder(
  root: string,
  folder: string,
  { files, contents }: { files: Map<string, string>; contents: Files },
): Fault[] {
  for (const [name, content] of Object.entries(contents)) files.set(`${folder}/${name}`, content)
  return listFiles(root, [`${folder}/**/*.*`])
    .filter((path) => !files.has(path))
    .map((path) => ({ path, line: 1, message: 'nothing generates this file: remove it' }))
}

function addSection(
  root: string,
  { name, pages }: SectionGenerator,
  { files, content }: { files: Map<string, string>; content: string },
): Fault[] {
  return pages.flatMap((path) => {
    const page = files.get(path) ?? readIfThere(join(root, path))
    const filled = page === undefined ? undefined : fillSection(page, name, content)
    if (filled === undefined) return [{ path, line: 1, message: `has no ${opening(name)} section` }]
    files.set(path, filled)
    return []
  })
}

/** The page with its section `name` replaced; undefined without such a section. */
export function fillSection(page: string, name: string, content: string): string | undefined {
  const start = page.indexOf(opening(name))
  const end = page.indexOf(closing, start)
  if (start === -1 || end === -1) return undefined
  return `${page.slice(0, start)}${opening(name)}\n${content.trim()}\n${page.slice(end)}`
}

// Otherwise a section whose generator was renamed or removed would stay unchanged for ever.
function unknownSections(root: string, generators: readonly Generator[]): Fault[] {
  const known = new Set(
    generators.flatMap((generator) =>
      generator.type === 'section' ? generator.pages.map((page) => `${page} ${generator.name}`) : [],
    ),
  )
  return listFiles(root, ['**/*.md']).flatMap((path) => {
    const page = readFileSync(join(root, path), 'utf8')
    return [...page.matchAll(/^<!-- generated: (.+?) -->/gm)]
      .filter(([, name]) => !known.has(`${path} ${name}`))
      .map(({ 1: name, index }) => ({
        path,
        line: lineAt(page, index),
        message: `nothing generates section "${name}" of this page`,
      }))
  })
}

const closing = '<!-- /generated -->'

function opening(name: string): string {
  return `<!-- generated: ${name} -->`
}

/** The planned files that are missing or differ on disk. */
export function staleFiles(root: string, { files }: Plan): string[] {
  return [...files]
    .filter(([path, content]) => readIfThere(join(root, path)) !== content)
    .map(([path]) => path)
}

/** JSON in the format of all generated files. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** A Markdown table. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Text for a cell: a bar would end the cell, a line break the row. */
export function tableText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

/** Inline code. */
export function codeText(text: string): string {
  return `\`${text}\``
}
