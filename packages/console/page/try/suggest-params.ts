/** Values of a parameter in recent requests, newest first. */
export function suggestParam(template: string, name: string, paths: readonly string[]): string[] {
  const segments = template.split('/')
  const index = segments.indexOf(`{${name}}`)
  if (index < 0) return []
  const before = segments.slice(0, index).join('/')
  const values = paths
    .map((path) => path.replace(/[?#].*$/, '').split('/'))
    .filter((parts) => index > 1 && parts.slice(0, index).join('/') === before)
    .map((parts) => decode(parts[index] ?? ''))
  return [...new Set(values)].filter((value) => value !== '').slice(0, 12)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
