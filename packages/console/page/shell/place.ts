import { shorten } from './picture.ts'

/** The four views, by the names that people see. */
export const views = ['Live', 'Timeline', 'Try', 'Routes'] as const

/** One of the four views. */
export type View = (typeof views)[number]

/** What is on the page: a view, and within it one thing, such as a correlation id. */
export interface Place {
  readonly view: View
  readonly item: string
}

/** The place that an address names after its `#`; Live for anything unknown. */
export function readPlace(hash: string): Place {
  const [, name = '', ...rest] = hash.replace(/^#/, '').split('/')
  const view = views.find((each) => each.toLowerCase() === name.toLowerCase()) ?? 'Live'
  return { view, item: decode(rest.join('/')) }
}

/** The address of a place, from the `#` on. */
export function placeHash({ view, item }: Place): string {
  const path = `#/${view.toLowerCase()}`
  return item === '' ? path : `${path}/${encodeURIComponent(item)}`
}

/** The title of the window: several of them are told apart by it. */
export function titleOf({ view, item }: Place): string {
  return [item === '' ? view : `${view}: ${shorten(item, TITLE_LENGTH)}`, 'Agentic REST console'].join(' · ')
}

const TITLE_LENGTH = 40

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Typed by hand, with a lone percent sign.
    return text
  }
}
