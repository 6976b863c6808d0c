import { z } from 'zod'
import type { Path } from '../faults.ts'
import { type Check, text } from './field-kinds.ts'

/** What the value of a key is, beside its type. Everything that must know files or secrets derives from it. */
export type Mark = FileMark | SecretMark | ShownMark

/** The value names a file, relative to the configuration file. */
export interface FileMark {
  readonly type: 'file'
  /** `read` at the start, `loaded` as a module, which reports a missing file itself, or `written` by the gateway. */
  readonly use: 'read' | 'loaded' | 'written'
  /** The values that are no file names. */
  readonly words: readonly string[]
  /** The check of the secret in the file; without it the content is no secret. */
  readonly content?: Check | undefined
}

/** The value is a secret, or has one in it. */
export interface SecretMark {
  readonly type: 'secret'
  readonly part: SecretPart
}

/** The value is no secret, and is shown in the admin API to operators alone, or to everybody though it looks like an address. */
export interface ShownMark {
  readonly type: 'shown'
  readonly to: 'operators' | 'everybody'
}

/**
 * The secret part of a value: all of it, all of it where its key has the name of a secret, the password of an address, the
 * path and the parameters of an address, or a part that only a plugin knows. The parameters of an address without a mark are
 * searched too.
 */
export type SecretPart = 'all' | 'named' | 'password' | 'parameters' | 'unknown'

/** The schema of a key. */
export type KeySchema = z.core.$ZodType

const marks = z.registry<Mark>()

/** The name of a file. */
export const file = ({
  phrase = 'a file name',
  schema = text(phrase),
  use = 'read',
  words = [],
}: {
  readonly phrase?: string
  readonly schema?: z.ZodString
  readonly use?: FileMark['use']
  readonly words?: readonly string[]
} = {}) => schema.register(marks, { type: 'file', use, words })

/**
 * The name of a file with a secret. Where the section also has the secret itself, it is called `x` and the file `x_file`
 * or `x_files`.
 */
export const secretFile = (content: Check = () => undefined) =>
  text('a file name').register(marks, { type: 'file', use: 'read', words: [], content })

/** A secret; by default the whole value. */
export const secret = <Schema extends z.ZodType>(schema: Schema, part: SecretPart = 'all'): Schema => {
  marks.add(schema, { type: 'secret', part })
  return schema
}

/** A value that only some readers of the admin API see. */
export const shownTo = <Schema extends z.ZodType>(to: ShownMark['to'], schema: Schema): Schema => {
  marks.add(schema, { type: 'shown', to })
  return schema
}

/** The mark of a key, if it has one. */
export const markOf = (schema: KeySchema): Mark | undefined => {
  const own = marks.get(schema)
  const wrapped = own === undefined ? wrappedBy(schema) : undefined
  return wrapped === undefined ? own : markOf(wrapped)
}

/** The schema of a key of a map, or of an entry of a list. */
export const childOf = (schema: KeySchema, step: string | number): KeySchema | undefined =>
  below(schema, (def) => {
    if (def.type === 'array') return def.element
    return def.type === 'record' ? def.valueType : keyOf(def, step)
  })

/** The schema of a key that the schema itself names; a map of free names has none. */
export const namedKeyOf = (schema: KeySchema, name: string): KeySchema | undefined =>
  below(schema, (def) => keyOf(def, name))

type Definition = z.core.$ZodTypes['_zod']['def']

const keyOf = (def: Definition, name: string | number): KeySchema | undefined =>
  def.type === 'object' && Object.hasOwn(def.shape, name) ? def.shape[name] : undefined

/** The first schema that `find` finds in a schema without its wrappers, or in one of its forms. */
const below = (
  schema: KeySchema,
  find: (def: Definition) => KeySchema | undefined,
): KeySchema | undefined => {
  const wrapped = wrappedBy(schema)
  if (wrapped !== undefined) return below(wrapped, find)
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type !== 'union') return find(def)
  return def.options.map((option) => below(option, find)).find((child) => child !== undefined)
}

/** The schema at a path below another one. */
export const schemaAt = (schema: KeySchema | undefined, path: Path): KeySchema | undefined =>
  path.reduce<KeySchema | undefined>((at, step) => at && childOf(at, step), schema)

/** Whether the value at a path is a secret, or in a map or list that is one. */
export const isSecretAt = (schema: KeySchema, path: Path): boolean =>
  path.some((_, index) => {
    const at = schemaAt(schema, path.slice(0, index + 1))
    return at !== undefined && markOf(at)?.type === 'secret'
  })

/** The schema inside an optional key, a default or a transformation. */
const wrappedBy = (schema: KeySchema): KeySchema | undefined => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
      return def.innerType
    case 'pipe':
      return def.in
    default:
      return undefined
  }
}

/** A value that is neither a map nor a list. A mark of a map or list counts for all in it. */
export interface Leaf {
  readonly path: Path
  readonly value: unknown
  readonly mark: Mark | undefined
}

/** Where a value is in the configuration; no schema below a map whose keys are not known. */
interface Place {
  readonly schema: KeySchema | undefined
  readonly path: Path
  readonly mark?: Mark | undefined
}

/** What no schema knows may be a secret. */
const UNKNOWN: Mark = { type: 'secret', part: 'unknown' }

/** A copy of a value with `change` in place of each leaf. */
export const mapLeaves = <Value>(
  value: Value,
  { schema, path, mark: above }: Place,
  change: (leaf: Leaf) => unknown,
): Value => {
  const mark = schema === undefined ? (above ?? UNKNOWN) : (markOf(schema) ?? above)
  const below = (step: string | number, child: unknown) =>
    mapLeaves(child, { schema: schema && childOf(schema, step), path: [...path, step], mark }, change)
  if (Array.isArray(value)) return value.map((item, index) => below(index, item)) as Value
  if (typeof value !== 'object' || value === null) return change({ path, value, mark }) as Value
  const copy = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, below(key, child)]))
  // The keys of such a map come from outside.
  const isBare = Object.getPrototypeOf(value) === null
  return (isBare ? Object.assign(Object.create(null), copy) : copy) as Value
}

/** The leaves of a value. */
export const leavesOf = (value: unknown, place: Place): readonly Leaf[] => {
  const leaves: Leaf[] = []
  mapLeaves(value, place, (leaf) => leaves.push(leaf))
  return leaves
}
