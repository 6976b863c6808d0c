import { stripVTControlCharacters } from 'node:util'

/** The size of a terminal. */
export interface Screen {
  readonly columns: number
  readonly rows: number
}

/** A request, an answer or a line of the tour. */
export interface Entry {
  readonly head: string
  /** Adds the colour of the head. */
  paint(text: string): string
  /** An empty line before it. */
  readonly gap?: boolean
  /** A second line. */
  readonly next?: string | undefined
  readonly body?: unknown
}

const MAX_SHOWN_LENGTH = 1_200
const CUT = ' ...'

/** The whole text of an entry, with its body on lines of its own. */
export function fullText(entry: Entry): string {
  return withBody(entry, bodyLines(entry.body))
}

type Form = (entry: Entry, screen: Screen) => string

// From the most readable form to the shortest one.
const forms: readonly Form[] = [
  fullText,
  firstLines(16),
  firstLines(8),
  firstLines(4),
  packed(3),
  packed(2),
  oneLine,
]

/** The text of the entries, with bodies cut to as many rows as the screen has for them. */
export function fitScreen(entries: readonly Entry[], screen: Screen): string {
  const texts = forms.map((form) => () => entries.map((entry) => form(entry, screen)).join('\n'))
  const fitting = texts.find((text) => rowsOf(text(), screen) <= screen.rows)
  return (fitting ?? texts.at(-1))?.() ?? ''
}

/** The number of rows that a text takes on a screen. */
export function rowsOf(text: string, { columns }: Pick<Screen, 'columns'>): number {
  const lines = stripVTControlCharacters(text).split('\n')
  return lines.reduce((rows, { length }) => rows + Math.max(1, Math.ceil(length / columns)), 0)
}

/** Cuts the body to some lines. */
function firstLines(limit: number): Form {
  return (entry) => {
    const lines = bodyLines(entry.body)
    return withBody(entry, lines.length <= limit ? lines : [...lines.slice(0, limit - 1), ` ${CUT}`])
  }
}

/** Writes the body without line breaks, cut to some rows. */
function packed(rows: number): Form {
  return (entry, { columns }) =>
    withBody(entry, entry.body === undefined ? [] : [cut(`  ${JSON.stringify(entry.body)}`, rows * columns)])
}

/** Writes an entry with a body in one row. */
function oneLine({ head, paint, next, body }: Entry, { columns }: Screen): string {
  if (body === undefined) return paint(head)
  const parts = next === undefined ? [head] : [head, next]
  const line = cut([...parts, JSON.stringify(body)].join(' '), columns)
  return `${paint(line.slice(0, head.length))}${line.slice(head.length)}`
}

function withBody({ head, paint, gap = false, next }: Entry, body: readonly string[]): string {
  return [`${gap ? '\n' : ''}${paint(head)}`, ...(next === undefined ? [] : [next]), ...body].join('\n')
}

function bodyLines(body: unknown): string[] {
  if (body === undefined) return []
  const text = cut(JSON.stringify(body, null, 2), MAX_SHOWN_LENGTH)
  return text.split('\n').map((line) => `  ${line}`)
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - CUT.length)}${CUT}` : text
}
