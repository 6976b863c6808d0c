/** A fenced block of a Markdown page. */
export interface FencedBlock {
  /** The whole info string after the fence, such as `ts` or `text output`. */
  readonly info: string
  readonly text: string
  /** The line of the opening fence, from 1. */
  readonly line: number
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*(.*)$/

/** The fenced blocks of a page, in order. */
export function fencedBlocks(markdown: string): FencedBlock[] {
  return scan(markdown).blocks
}

/** The page with fenced blocks, inline code and comments blanked; line numbers stay the same. */
export function withoutCode(markdown: string): string {
  return scan(markdown)
    .prose.replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, blank)
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

function scan(markdown: string): { blocks: FencedBlock[]; prose: string } {
  const blocks: FencedBlock[] = []
  const prose: string[] = []
  let open: { mark: string; info: string; line: number; lines: string[] } | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, mark = '', info = ''] = fence.exec(line) ?? []
    prose.push(open !== undefined || mark !== '' ? '' : line)
    if (open === undefined) {
      if (mark !== '') open = { mark, info: info.trim(), line: index + 1, lines: [] }
    } else if (closes(open.mark, mark, info)) {
      blocks.push({ info: open.info, text: open.lines.join('\n'), line: open.line })
      open = undefined
    } else {
      open.lines.push(line)
    }
  }
  return { blocks, prose: prose.join('\n') }
}

function closes(opening: string, mark: string, info: string): boolean {
  return mark.startsWith(opening) && info.trim() === ''
}

/** The anchors of a page: those of GitHub for its headings, and those set with `id` or `name`. */
export function anchorsOf(markdown: string): Set<string> {
  const prose = scan(markdown).prose
  const anchor = createAnchors()
  const titles = [...prose.matchAll(/^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/gm)]
  const anchors = new Set(titles.map(([, title = '']) => anchor(title)))
  for (const [, id = ''] of prose.matchAll(/<[^>]+\s(?:id|name)="([^"]+)"/g)) anchors.add(id)
  return anchors
}

/** Gives the anchor of each heading of a page, called in their order. GitHub numbers repeated ones: `notes`, `notes-1`. */
export function createAnchors(): (title: string) => string {
  const taken = new Set<string>()
  return function anchor(title) {
    const name = unused(slug(title), taken)
    taken.add(name)
    return name
  }
}

function unused(name: string, taken: ReadonlySet<string>): string {
  let candidate = name
  for (let n = 1; taken.has(candidate); n++) candidate = `${name}-${n}`
  return candidate
}

function slug(title: string): string {
  return title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}
