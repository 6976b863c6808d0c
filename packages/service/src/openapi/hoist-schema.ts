import type { JsonSchema } from '../input/json-schema.ts'

/** A schema for a document, with its definitions as components. */
interface HoistedSchema {
  readonly schema: JsonSchema
  readonly components: Readonly<Record<string, JsonSchema>>
}

const DEFINITIONS = /^#\/(?:\$defs|definitions)\/([^/]+)(.*)$/

/**
 * Moves the definitions of a schema to the components of the document. A reference such as `#/$defs/Name` is relative
 * to the root of its file, so inside the document it would point to another place.
 */
export function hoistSchema(root: JsonSchema, name: string): HoistedSchema {
  const { $schema: _dialect, $id: _id, $defs, definitions, ...own } = root
  const rootName = `${name}.root`
  const retarget = (reference: string) => componentReference(reference, name, rootName)
  const schema = rewrite(own, retarget) as JsonSchema
  const entries = Object.entries({ ...asRecord($defs), ...asRecord(definitions) })
  const components = Object.fromEntries(
    entries.map(([key, definition]) => [`${name}.${safe(key)}`, rewrite(definition, retarget) as JsonSchema]),
  )
  const isRecursive = JSON.stringify([schema, components]).includes(`"#/components/schemas/${rootName}`)
  return { schema, components: isRecursive ? { ...components, [rootName]: schema } : components }
}

/** Makes a name valid as a key of components. */
export function safe(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, '_')
}

function componentReference(reference: string, name: string, rootName: string): string {
  const [, definition, rest = ''] = DEFINITIONS.exec(reference) ?? []
  if (definition !== undefined)
    return `#/components/schemas/${name}.${safe(decodeURIComponent(definition))}${rest}`
  return reference.startsWith('#') ? `#/components/schemas/${rootName}${reference.slice(1)}` : reference
}

function rewrite(value: unknown, retarget: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, retarget))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => {
    const isReference = key === '$ref' && typeof inner === 'string'
    return [key, isReference ? retarget(inner) : rewrite(inner, retarget)]
  })
  return Object.fromEntries(entries)
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
