import { escapeMarkup } from './escape.ts'
import type { Report } from './report.ts'

const colours = { good: '#1a7f37', partial: '#9a6700', bad: '#cf222e' } as const
// The width of the widest letter in Verdana at 11 px.
const LETTER_WIDTH = 6.6
const MARGIN = 12

/** An SVG badge for a README. It is green only if all ten outcomes were observed and no rule failed. */
export function badge(report: Report): string {
  const label = `agentic profile ${report.profile}`
  const { text, colour } = message(report)
  const [left, right] = [widthOf(label), widthOf(text)]
  const title = escapeMarkup(`${label}: ${text}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="r"><rect width="${left + right}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#2f363d"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="${left / 2}" y="14">${escapeMarkup(label)}</text><text x="${left + right / 2}" y="14">${escapeMarkup(text)}</text>
</g>
</svg>
`
}

function message({ counts, outcomes: { observed, total } }: Report): { text: string; colour: string } {
  if (counts.fail > 0) return { text: `${counts.fail} failed`, colour: colours.bad }
  const seen = `${observed}/${total} observed`
  if (observed < total || counts.expectedFailures > 0) return { text: seen, colour: colours.partial }
  return { text: seen, colour: colours.good }
}

function widthOf(text: string): number {
  return Math.round(text.length * LETTER_WIDTH + MARGIN)
}
