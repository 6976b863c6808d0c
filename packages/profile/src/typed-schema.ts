import { isObject, membersOf } from './json-value.ts'

/** A JSON Schema. */
type Schema = Readonly<Record<string, unknown>>

/**
 * The schema of a value with its types and its reader, so that they cannot disagree. `Written` is the exact type. `Read` is
 * the type after `read`, which never fails: a faulty member is empty, and an enum may have values of a newer version.
 */
export interface Typed<Written, Read = Written, Absent = Read> {
  readonly schema: Schema
  /** Whether a value has the JSON type of the schema, and an object its members. */
  is(value: unknown): boolean
  read(value: unknown): Read
  /** What an absent member is read as: an object is null, anything else is empty. */
  readonly absent: Absent
  /** Only a type. */
  readonly written?: Written
}

/** The exact type of a schema. */
export type Written<Given> = Given extends Typed<infer Type, unknown, unknown> ? Type : never

/** The type that the reader of a schema gives. */
export type Read<Given> = Given extends Typed<unknown, infer Type, unknown> ? Type : never

function leaf<Written extends Read, Read>(schema: Schema, empty: Read): Typed<Written, Read> {
  const is = (value: unknown): value is Read => typeof value === typeof empty && !Number.isNaN(value)
  return { schema, is, absent: empty, read: (value) => (is(value) ? value : empty) }
}

/** A text. */
export const text: Typed<string> = leaf({ type: 'string' }, '')
/** A point in time (RFC 3339). */
export const time: Typed<string> = leaf({ type: 'string', format: 'date-time' }, '')
/** True or false. */
export const flag: Typed<boolean> = leaf({ type: 'boolean' }, false)
/** A number from 0. */
export const amount: Typed<number> = leaf({ type: 'number', minimum: 0 }, 0)
/** A whole number. */
export const whole: Typed<number> = leaf({ type: 'integer', minimum: 0 }, 0)
/** A whole number from 1. */
export const count: Typed<number> = {
  ...leaf({ type: 'integer', minimum: 1 }, 1),
  read: (value) => (typeof value === 'number' && value > 1 ? value : 1),
}
/** Always true, or absent. */
export const mark: Typed<true, boolean> = leaf({ const: true }, false)

/** One of these texts. */
export function oneOf<const Value extends string>(...values: readonly Value[]): Typed<Value, string> {
  return leaf({ type: 'string', enum: values }, '')
}

/** The same schema with a description for people. */
export function about<Given extends { readonly schema: Schema }>(description: string, given: Given): Given {
  return { ...given, schema: { ...given.schema, description } }
}

/** The same values, described by a named schema of the document. */
export function named<Given extends { readonly schema: Schema }>(name: string, given: Given): Given {
  return { ...given, schema: { $ref: `#/components/schemas/${name}` } }
}

/** A value or null. */
export function orNull<Written, Read>(
  inner: Typed<Written, Read, unknown>,
): Typed<Written | null, Read | null> {
  return {
    schema: { anyOf: [inner.schema, { type: 'null' }] },
    is: (value) => value === null || inner.is(value),
    absent: null,
    read: (value) => (inner.is(value) ? inner.read(value) : null),
  }
}

/** A list. */
export function listOf<Written, Read>(
  items: Typed<Written, Read, unknown>,
): Typed<readonly Written[], readonly Read[]> {
  return {
    schema: { type: 'array', items: items.schema },
    is: Array.isArray,
    absent: [],
    read: (value) => (Array.isArray(value) ? value.map(items.read) : []),
  }
}

/** An object of unknown members, each with a value of one schema. Outside names are keys of a map. */
export function mapOf<Written, Read>(
  items: Typed<Written, Read, unknown>,
): Typed<Readonly<Record<string, Written>>, ReadonlyMap<string, Read>> {
  const read = (value: unknown) =>
    new Map(Object.entries(membersOf(value)).map(([name, each]) => [name, items.read(each)]))
  return {
    schema: { type: 'object', additionalProperties: items.schema },
    is: isObject,
    absent: new Map(),
    read,
  }
}

/** An object that is passed on as it is. */
export const anyObject: Typed<Readonly<Record<string, unknown>>> = {
  schema: { type: 'object' },
  is: isObject,
  absent: {},
  read: membersOf,
}

type Members = Readonly<Record<string, Typed<unknown, unknown, unknown>>>

type WrittenMembers<Of extends Members, Optional extends keyof Of> = Joined<
  { readonly [Name in Exclude<keyof Of, Optional>]: Written<Of[Name]> } & {
    readonly [Name in Optional]?: Written<Of[Name]>
  }
>

type Joined<Type> = { readonly [Name in keyof Type]: Type[Name] }

type ReadMembers<Of extends Members, Optional extends keyof Of> = {
  readonly [Name in keyof Of]: Name extends Optional ? Read<Of[Name]> | Of[Name]['absent'] : Read<Of[Name]>
}

/** An object with these members; the `optional` ones may be absent. */
export function object<Of extends Members, Optional extends keyof Of & string = never>(
  members: Of,
  optional: readonly Optional[] = [],
): Typed<WrittenMembers<Of, Optional>, ReadMembers<Of, Optional>, null> {
  const entries = Object.entries(members)
  const isOptional = (name: string) => (optional as readonly string[]).includes(name)
  function read(value: unknown): ReadMembers<Of, Optional> {
    const given = membersOf(value)
    const readMember = ([name, member]: (typeof entries)[number]) => {
      const found = Object.hasOwn(given, name) ? given[name] : undefined
      return [name, isOptional(name) && !member.is(found) ? member.absent : member.read(found)]
    }
    return Object.fromEntries(entries.map(readMember)) as ReadMembers<Of, Optional>
  }
  const properties = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))
  const needed = entries.filter(([name]) => !isOptional(name))
  const is = (value: unknown) =>
    isObject(value) && needed.every(([name, { is }]) => is(membersOf(value)[name]))
  const required = needed.map(([name]) => name)
  return { schema: { type: 'object', properties, required }, is, absent: null, read }
}

/** The same without other members in its schema. The reader leaves them out in any case. */
export function closedObject<Of extends Members, Optional extends keyof Of & string = never>(
  members: Of,
  optional: readonly Optional[] = [],
): ReturnType<typeof object<Of, Optional>> {
  const open = object(members, optional)
  return { ...open, schema: { ...open.schema, additionalProperties: false } }
}
