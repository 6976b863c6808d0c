import { hasDotSegment } from '../../config/schema/address-checks.ts'

/** The URL with every `{name}` replaced, or `undefined` when a value cannot stand in a URL as itself. */
export function fillUrl(template: string, values: Readonly<Record<string, string>>): string | undefined {
  let url = template
  for (const [name, value] of Object.entries(values)) {
    const encoded = encodeValue(value)
    if (encoded === undefined) return undefined
    url = url.replaceAll(`{${name}}`, encoded)
  }
  // No encoding helps here: the URL standard resolves `%2e%2e` like `..`.
  return hasDotSegment(url) ? undefined : url
}

function encodeValue(value: string): string | undefined {
  // An empty value would ask for the collection. A lone surrogate has no UTF-8 form, and replacing it, as
  // `toWellFormed` does, would give two principals one name.
  if (value === '' || !value.isWellFormed()) return undefined
  return encodeURIComponent(value).replace(/[!'()*]/g, percentEncode)
}

/** RFC 3986 reserves these too; `encodeURIComponent` lets them through. */
function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
