import type { ViewReader } from './readable-view.ts'
import { plainView, type TextView } from './text-view.ts'
import { unescapedView } from './unescaped-view.ts'

/** A text in all the forms that rules look at. */
export interface Subject {
  readonly source: TextView
  /** The source with hidden and look-alike characters made plain; the same object when it has none. */
  readonly readable: TextView
  /** The same with escapes read; undefined when it has none. */
  readonly unescaped: TextView | undefined
  /** What announces the text: the nearest key, the name of a form field. */
  readonly hint: string
}

/** Reads a text in every form. */
export function readSubject(text: string, hint: string, read: ViewReader): Subject {
  const source = plainView(text)
  const unescaped = unescapedView(text)
  return { source, readable: read(source), unescaped: unescaped && read(unescaped), hint }
}
