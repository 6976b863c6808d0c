import {
  type DeclarationKind,
  declarationKinds,
  type Exported,
  type ExportedDeclaration,
  exportedDeclarations,
} from './exported-declarations.ts'
import { codeText, markdownTable, tableText } from './generated.ts'
import { createAnchors } from './markdown.ts'
import { readManifest, readWorkspaces } from './workspaces.ts'

/** A package with a page of its API, and the page that explains its use. */
export interface DocumentedPackage {
  readonly folder: string
  /** The title and the address of the explaining page, from the page of the API. */
  readonly guide: readonly [title: string, address: string]
}

const titles = {
  function: 'Functions',
  class: 'Classes',
  constant: 'Constants',
  type: 'Types',
} satisfies Record<DeclarationKind, string>

/** The page with every export of every entry point of a package. */
export function apiPage(root: string, { folder, guide: [title, address] }: DocumentedPackage): string {
  const { manifest } = readManifest(root, folder)
  const name = manifest.name ?? folder
  const anchor = createAnchors()
  const heading = `API of ${name}`
  anchor(heading)
  const sections = entryPoints(manifest.exports ?? {}).map(({ subpath, source }) =>
    entrySection({
      specifier: `${name}${subpath.slice(1)}`,
      exported: exportedDeclarations(root, `${folder}/${source.slice(2)}`),
      anchor,
      pages: apiPages(root),
    }),
  )
  return `# ${heading}

This page is the reference of all exports of ${codeText(name)}, generated from the source. [${title}](${address}) explains their use.

${sections.join('\n\n')}${filesSection(name, manifest.exports ?? {})}
`
}

interface EntryPoint {
  /** As in `exports`: `.` or `./node`. */
  readonly subpath: string
  readonly source: string
}

function entryPoints(exports: Readonly<Record<string, unknown>>): EntryPoint[] {
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target !== 'object' || target === null || !('agentic-source' in target)) return []
    return [{ subpath, source: String(target['agentic-source']) }]
  })
}

/** The pages of the API by package name, for exports that another package passes on. */
function apiPages(root: string): ReadonlyMap<string, string> {
  return new Map(
    readWorkspaces(root).map(({ folder, manifest }) => [
      manifest.name ?? '',
      `${folder.split('/').at(-1)}.md`,
    ]),
  )
}

interface Entry {
  readonly specifier: string
  readonly exported: readonly Exported[]
  /** Gives the anchor of the next heading of the page. */
  readonly anchor: (title: string) => string
  readonly pages: ReadonlyMap<string, string>
}

function entrySection({ specifier, exported, anchor, pages }: Entry): string {
  anchor(specifier)
  const anchors = new Map<string, string>()
  const declared = exported.filter((each) => each.type === 'declaration')
  const groups = declarationKinds.flatMap((kind) => {
    const members = declared.filter((each) => each.kind === kind)
    if (members.length === 0) return []
    anchor(titles[kind])
    for (const { name } of members) anchors.set(name, anchor(name))
    return [`### ${titles[kind]}\n\n${members.map(declarationText).join('\n\n')}`]
  })
  const rows = exported.map((each) => overviewRow(each, anchors, pages))
  return [`## ${specifier}`, markdownTable(['Export', 'Kind', 'Purpose'], rows), ...groups].join('\n\n')
}

function overviewRow(
  exported: Exported,
  anchors: ReadonlyMap<string, string>,
  pages: ReadonlyMap<string, string>,
): string[] {
  const { name } = exported
  if (exported.type === 'declaration')
    return [
      `[${codeText(name)}](#${anchors.get(name)})`,
      exported.kind,
      tableText(proseText(firstSentence(exported.comment))),
    ]
  const page = pages.get(exported.from)
  const from = codeText(exported.from)
  const link = page === undefined ? from : `[${from}](${page}#${name.toLowerCase()})`
  return [codeText(name), 'passed on', `From ${link}.`]
}

function firstSentence(comment: string): string {
  const [paragraph = ''] = comment.split('\n\n')
  const text = paragraph.replaceAll('\n', ' ')
  return /^.*?[^.\s]{2}\.(?= [A-Z`]|$)/.exec(text)?.[0] ?? text
}

function declarationText({ name, comment, signature }: ExportedDeclaration): string {
  return `#### ${name}\n\n${proseText(comment)}\n\n\`\`\`ts\n${signature}\n\`\`\``
}

/** Text of a comment as Markdown: outside of code, `<` would begin an HTML element. */
function proseText(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('')
}

/** The files that a package exports besides its modules. */
function filesSection(name: string, exports: Readonly<Record<string, unknown>>): string {
  const files = Object.keys(exports).filter(
    (subpath) => typeof exports[subpath] === 'string' && subpath !== './package.json',
  )
  const listed = files.map((subpath) => `- ${codeText(`${name}${subpath.slice(1).replace('*', 'FILE')}`)}`)
  return listed.length === 0 ? '' : `\n\n## Files\n\n${listed.join('\n')}`
}
