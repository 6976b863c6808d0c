import { type ReportFormat, reportFormats } from '@agentic-rest/conformance'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'

/** A form of the report, and the file it goes to; stdout without one. */
export interface ReportWish {
  readonly format: ReportFormat
  readonly file: string | undefined
}

/** What is wanted, or what is wrong with it. */
export type WishesResult =
  | { readonly ok: true; readonly wishes: readonly ReportWish[] }
  | { readonly ok: false; readonly fault: string }

/** Reads `--report FORMAT` and `--report FORMAT=FILE`. Whatever goes to files, something goes to stdout. */
export function readWishes(given: readonly string[], output: string | undefined): WishesResult {
  const wishes: ReportWish[] = []
  for (const text of given) {
    const [, name = '', file] = /^([^=]*)=?(.*)$/s.exec(text) ?? []
    const format = reportFormats.find((each) => each === name)
    if (format === undefined)
      return refuse(
        `--report is one of ${reportFormats.join(', ')}, not ${JSON.stringify(name)}${didYouMean(name, reportFormats)}`,
      )
    wishes.push({ format, file: file === '' ? undefined : file })
  }
  const open = wishes.filter(({ file }) => file === undefined)
  if (open.length > 1)
    return refuse('only one report can go to stdout: name files, as in --report html=report.html')
  if (output === undefined) return { ok: true, wishes: open.length > 0 ? wishes : [...wishes, toTerminal] }
  const named = wishes.map((wish) => (wish.file === undefined ? { ...wish, file: output } : wish))
  if (wishes.length > 0 && open.length === 0)
    return refuse('--output is for a report that has no file of its own')
  const [first] = named
  return {
    ok: true,
    wishes: first === undefined ? [{ format: 'text', file: output }] : [...named, toTerminal],
  }
}

const toTerminal: ReportWish = { format: 'text', file: undefined }

function refuse(fault: string): WishesResult {
  return { ok: false, fault }
}
