import { shorten } from './picture.ts'

/** The views, by their displayed names. */
export const views = ['Live', 'Timeline', 'Try', 'Inbox', 'Routes', 'Usage'] as const

/** One of the views. */
export type View = (typeof views)[number]

/** A view and its subject, such as a correlation id. */
export interface Place {
  readonly view: View
  readonly item: string
  /** The filters of the view, as in the query of an address. */
  readonly query?: string
}

/** The place in the fragment of an address; Live for an unknown one. */
export function readPlace(hash: string): Place {
  const [path = '', ...query] = hash.replace(/^#/, '').split('?')
  const [, name = '', ...rest] = path.split('/')
  const view = views.find((each) => each.toLowerCase() === name.toLowerCase()) ?? 'Live'
  return { view, item: decode(rest.join('/')), query: query.join('?') }
}

/** The fragment for a place, with `#`. */
export function placeHash({ view, item, query = '' }: Place): string {
  const path = `#/${view.toLowerCase()}`
  return `${path}${item && `/${encodeURIComponent(item)}`}${query && `?${query}`}`
}

/** The title of the window, different for each place. */
export function titleOf({ view, item }: Place): string {
  return [item === '' ? view : `${view}: ${shorten(item, TITLE_LENGTH)}`, 'Agentic REST console'].join(' · ')
}

const TITLE_LENGTH = 40

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // An address typed by hand may have an invalid percent sign.
    return text
  }
}
