/** A value as it stands in a path, a query or a header: text as it is, all else as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
