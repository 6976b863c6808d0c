/** A piece of text in one style. */
export interface Span {
  readonly text: string
  /** CSS classes such as `bold` and `green`. */
  readonly styles: readonly string[]
}

/** The options of a terminal picture. */
export interface PictureOptions {
  readonly columns: number
  readonly rows: number
  /** The time of each screen. */
  readonly secondsPerScreen: number
  readonly title: string
}

// The escape codes of Node's `styleText`, and the codes that end them.
const begins: ReadonlyMap<string, string> = new Map([
  ['1', 'bold'],
  ['2', 'dim'],
  ['31', 'red'],
  ['32', 'green'],
  ['33', 'yellow'],
  ['36', 'cyan'],
  ['90', 'dim'],
])
const ends: ReadonlyMap<string, readonly string[]> = new Map([
  ['0', ['bold', 'dim', 'red', 'green', 'yellow', 'cyan']],
  ['22', ['bold', 'dim']],
  ['39', ['red', 'green', 'yellow', 'cyan', 'dim']],
])

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is written to with them.
const pieceForm = /\u001b\[([\d;]*)m|([^\u001b]+)/g

/** Parses coloured text into lines of spans; long lines wrap as in a terminal. */
export function readTerminal(text: string, columns: number): Span[][] {
  const active = new Set<string>()
  const lines: Span[][] = [[]]
  for (const [, codes, plain] of text.matchAll(pieceForm)) {
    if (codes !== undefined) changeStyles(active, codes)
    if (plain !== undefined) write(lines, { text: plain, styles: [...active] }, columns)
  }
  return lines
}

function changeStyles(active: Set<string>, codes: string): void {
  for (const code of codes === '' ? ['0'] : codes.split(';')) {
    for (const ended of ends.get(code) ?? []) active.delete(ended)
    const begun = begins.get(code)
    if (begun !== undefined) active.add(begun)
  }
}

function write(lines: Span[][], { text, styles }: Span, columns: number): void {
  for (const [index, part] of text.split('\n').entries()) {
    if (index > 0) lines.push([])
    for (let rest = part; rest !== ''; ) {
      const room = columns - widthOf(lines.at(-1) ?? [])
      if (room === 0) lines.push([])
      else {
        lines.at(-1)?.push({ text: rest.slice(0, room), styles })
        rest = rest.slice(room)
      }
    }
  }
}

function widthOf(line: readonly Span[]): number {
  return line.reduce((width, { text }) => width + text.length, 0)
}

const CHARACTER_WIDTH = 7.83
const LINE_HEIGHT = 17
const MARGIN = 14
const BAR = 30

/** Draws screens in an endless loop. With reduced motion, only the first screen is shown. */
export function drawScreens(screens: readonly (readonly Span[][])[], options: PictureOptions): string {
  const { columns, rows, secondsPerScreen, title } = options
  const width = Math.ceil(columns * CHARACTER_WIDTH + 2 * MARGIN)
  const height = BAR + rows * LINE_HEIGHT + 2 * MARGIN
  const whole = screens.length * secondsPerScreen
  const groups = screens.map((lines, index) => drawScreen(lines, rows, index * secondsPerScreen))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(title)}">`,
    `<style>${styleSheet(whole, screens.length)}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (colour, index) => `<circle cx="${20 + index * 20}" cy="17" r="6" fill="${colour}"/>`,
    ),
    ...groups,
    '</svg>',
    '',
  ].join('\n')
}

function styleSheet(wholeSeconds: number, screens: number): string {
  const share = (100 / screens).toFixed(3)
  return [
    'text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9;white-space:pre}',
    '.bold{font-weight:700;fill:#fff}.dim{fill:#8b949e}.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}.cyan{fill:#79c0ff}',
    'g{visibility:hidden}g:first-of-type{visibility:visible}',
    `@keyframes show{0%{visibility:visible}${share}%{visibility:hidden}100%{visibility:hidden}}`,
    `@media (prefers-reduced-motion:no-preference){g,g:first-of-type{visibility:hidden;animation:show ${wholeSeconds}s steps(1) infinite}}`,
  ].join('')
}

function drawScreen(lines: readonly Span[][], rows: number, beginsAtSeconds: number): string {
  const texts = shorten(lines, rows).flatMap((line, index) =>
    line.length === 0 ? [] : [drawLine(line, index)],
  )
  return `<g style="animation-delay:${beginsAtSeconds}s">\n${texts.join('\n')}\n</g>`
}

/** Long output is cut in the middle: its end shows the result. */
function shorten(lines: readonly Span[][], rows: number): readonly Span[][] {
  if (lines.length <= rows) return lines
  const atEnd = Math.floor(rows / 3)
  const gap = [{ text: '...', styles: ['dim'] }]
  return [...lines.slice(0, rows - atEnd - 1), gap, ...lines.slice(-atEnd)]
}

function drawLine(line: readonly Span[], index: number): string {
  const y = BAR + MARGIN + index * LINE_HEIGHT
  const spans = line.map(({ text, styles }) =>
    styles.length === 0 ? escapeText(text) : `<tspan class="${styles.join(' ')}">${escapeText(text)}</tspan>`,
  )
  return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${spans.join('')}</text>`
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
