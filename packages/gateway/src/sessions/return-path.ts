/** The path of a return address; undefined for everything that is not a path of the origin. */
export function returnPath(wish: string | null, origin: string): string | undefined {
  // A browser reads a backslash as a slash, and drops tabs and line ends.
  if (wish === null || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wish) || wish.length > 2_000)
    return undefined
  const url = URL.parse(wish, origin)
  if (url === null || url.origin !== new URL(origin).origin || url.pathname.startsWith('//')) return undefined
  return `${url.pathname}${url.search}${url.hash}`
}
