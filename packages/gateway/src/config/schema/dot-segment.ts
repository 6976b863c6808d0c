/** Whether a path segment is `.` or `..`, which the URL standard resolves in its encoded forms too. */
export const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment)

/** Whether the path of a URL has a dot segment: the request would ask for something else than the URL says. */
export const hasDotSegment = (url: string): boolean => {
  const [path = ''] = url.split('?', 1)
  return path.split('/').some(isDotSegment)
}
