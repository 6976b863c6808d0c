import { memoize } from './memoize.ts'

/** The name of a header. Equal names are the same text in memory, so that a look-up by one takes a fraction of the time. */
export interface HeaderName {
  /** As it was sent. */
  readonly name: string
  /** In lower case; empty for text that is no name. */
  readonly key: string
}

// Token characters (RFC 9110, section 5.6.2). Folded lines and a blank before the colon are no token either.
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Reads the name of a header. */
export const headerName = memoize(
  (name): HeaderName => ({ name, key: TOKEN.test(name) ? name.toLowerCase() : '' }),
)

/** The key of a header name, or nothing for text that is no name. */
export function headerKey(name: string): string {
  return headerName(name).key
}
