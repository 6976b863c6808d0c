/** The longest chain of references: a longer one is a circle. */
const LONGEST_CHAIN = 64

/**
 * The value at the fragment of a reference, such as `/components/schemas/Item` (RFC 6901, section 6); `undefined` if there
 * is none. Only own members count.
 */
export function atFragment(document: unknown, fragment: string): unknown {
  let found = document
  for (const step of decoded(fragment).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[name]
  }
  return found
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Whether a value is a reference of JSON Schema or OpenAPI. */
export function isReference(value: unknown): value is { readonly $ref: string } {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
}

/**
 * Follows a reference, and the references that it leads to, by `find`. Other values are returned as they are; a circle and
 * a reference without a target are `undefined`.
 */
export function followReferences(value: unknown, find: (reference: string) => unknown): unknown {
  let found = value
  for (let count = 0; isReference(found); count += 1) {
    if (count === LONGEST_CHAIN) return undefined
    found = find(found.$ref)
  }
  return found
}

/** A step of a JSON Pointer: the name of a member, or an index (RFC 6901, section 3). */
export function pointerStep(name: string | number): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
