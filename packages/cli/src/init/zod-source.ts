import { elementsOf, type JsonObject, membersOf, patternsOf, wholeSchema } from '@agentic-rest/profile'
import type { OpenApi } from './openapi.ts'

const DEEPEST = 3
const MOST_MEMBERS = 40

interface Place {
  readonly api: Pick<OpenApi, 'find' | 'follow'>
  /** The schemas around this one; none for an input. */
  readonly above?: readonly unknown[]
  /** Takes a note about each part of the schema that is left out. */
  readonly note: (text: string) => void
  /** The path of this schema in notes, such as `order.lines[]`. */
  readonly at?: string
}

/** The facts about a member outside its schema. */
export interface Membership {
  readonly required: boolean
  readonly question?: string | undefined
}

/** The source of a zod schema for an input or a member of an object, with its default. */
export function memberSource(given: unknown, { required, question }: Membership, place: Place): string {
  const base = `${zodSource(given, place)}${question === undefined ? '' : `.describe(${valueSource(question)})`}`
  // A required input is asked for; a default in zod would answer the question.
  if (required) return base
  const usual = wholeSchema(given, place.api)['default']
  const hasDefault = usual !== undefined && fits(usual, given, place)
  if (usual !== undefined && !hasDefault) leaveOut(['a default that does not fit'], place)
  return `${base}${hasDefault ? `.default(${valueSource(usual)})` : '.optional()'}`
}

/** The source of a zod schema for a JSON Schema. Unsupported parts become `z.unknown()`. */
export function zodSource(given: unknown, { api, above = [], note, at = '' }: Place): string {
  const schema = wholeSchema(given, api)
  const base = baseSource(schema, { api, above: [...above, api.follow(given)], note, at })
  return isNullable(schema) ? `${base}.nullable()` : base
}

function isNullable(schema: JsonObject): boolean {
  return schema['nullable'] === true || [schema['type']].flat().includes('null')
}

function typeOf(schema: JsonObject): unknown {
  return [schema['type']].flat().find((type) => type !== 'null')
}

/** The values of `const` or `enum`; empty when the schema does not list any. */
function choicesOf(schema: JsonObject): readonly unknown[] {
  return Object.hasOwn(schema, 'const')
    ? [schema['const']]
    : elementsOf(schema['enum']).filter((word) => word !== null)
}

function baseSource(schema: JsonObject, place: Required<Place>): string {
  const words = choicesOf(schema)
  if (words.length > 0) return choiceSource(words, place)
  leaveOut(unsupportedKeywords(schema), place)
  switch (typeOf(schema)) {
    case 'string':
      return `z.string()${calls(schema, lengthCalls)}${patternCalls(schema, place)}`
    case 'integer':
      return `z.int()${rangeCalls(schema)}`
    case 'number':
      return `z.number()${rangeCalls(schema)}`
    case 'boolean':
      return 'z.boolean()'
    case 'array':
      return `z.array(${deeper(schema['items'], { required: true }, { ...place, at: `${place.at}[]` })})${calls(schema, countCalls)}`
    case 'object':
      return objectSource(schema, place)
    default:
      return 'z.unknown()'
  }
}

function leaveOut(parts: readonly string[], { note, at = '' }: Place): void {
  if (parts.length === 0) return
  note(
    `${at === '' ? '' : `${at.replace(/^\./, '')}: `}${parts.join(', ')} ${parts.length === 1 ? 'is' : 'are'} left out`,
  )
}

// Keywords that restrict no value, or that all types have.
const commonKeywords = [
  ...['type', 'nullable', 'enum', 'const', 'default', 'title', 'description', 'example', 'examples'],
  ...['deprecated', 'readOnly', 'writeOnly', 'externalDocs', 'xml', '$schema', '$id', '$comment', '$defs'],
]
const rangeKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const keywordsByType = new Map<unknown, readonly string[]>([
  ['string', ['minLength', 'maxLength', 'pattern', 'allOf']],
  ['integer', rangeKeywords],
  ['number', rangeKeywords],
  ['array', ['items', 'minItems', 'maxItems']],
  ['object', ['properties', 'required']],
])

/** The keywords of a whole schema that its source has no part for. */
export function unsupportedKeywords(schema: JsonObject): string[] {
  const known = [...commonKeywords, ...(keywordsByType.get(typeOf(schema)) ?? [])]
  return Object.entries(schema)
    .filter(([keyword]) => !known.includes(keyword) && !keyword.startsWith('x-'))
    .filter(([keyword, value]) => keyword !== 'additionalProperties' || !acceptsAll(value))
    .map(([keyword]) => keyword)
}

function acceptsAll(schema: unknown): boolean {
  return schema === true || (membersOf(schema) === schema && Object.keys(schema).length === 0)
}

function choiceSource(words: readonly unknown[], place: Place): string {
  const texts = words.map(valueSource)
  if (words.every((word) => typeof word === 'string')) return `z.enum([${texts.join(', ')}])`
  const isPlain = words.every((word) => ['string', 'number', 'boolean'].includes(typeof word))
  if (isPlain) return `z.literal([${texts.join(', ')}])`
  leaveOut(['an enum of objects or lists'], place)
  return 'z.unknown()'
}

type Calls = readonly (readonly [keyword: string, method: string])[]

const lengthCalls: Calls = [
  ['minLength', 'min'],
  ['maxLength', 'max'],
]
const countCalls: Calls = [
  ['minItems', 'min'],
  ['maxItems', 'max'],
]

function calls(schema: JsonObject, rows: Calls): string {
  return rows
    .filter(([keyword]) => Number.isFinite(schema[keyword]))
    .map(([keyword, method]) => `.${method}(${schema[keyword]})`)
    .join('')
}

/** OpenAPI 3.0 has a boolean `exclusiveMinimum` beside `minimum`; JSON Schema has a number instead. */
function rangeCalls(schema: JsonObject): string {
  const { exclusiveMinimum, exclusiveMaximum } = schema
  return calls(schema, [
    ['minimum', exclusiveMinimum === true ? 'gt' : 'min'],
    ['maximum', exclusiveMaximum === true ? 'lt' : 'max'],
    ['exclusiveMinimum', 'gt'],
    ['exclusiveMaximum', 'lt'],
    ['multipleOf', 'multipleOf'],
  ])
}

function patternCalls(schema: JsonObject, place: Required<Place>): string {
  return patternsOf(schema)
    .map((pattern) => {
      const expression = compiled(pattern, 'u') ?? compiled(pattern, '')
      if (expression === undefined) leaveOut([`the pattern ${pattern}, which does not compile,`], place)
      return expression === undefined ? '' : `.regex(${expression})`
    })
    .join('')
}

/** JSON Schema patterns are those of ECMA-262 with Unicode; many documents have older ones. */
function compiled(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}

function objectSource(schema: JsonObject, place: Required<Place>): string {
  const all = Object.entries(membersOf(schema['properties'])).filter(([name]) => name !== '__proto__')
  const members = all.slice(0, MOST_MEMBERS)
  if (members.length < all.length) leaveOut([`every member after the first ${MOST_MEMBERS}`], place)
  if (members.length === 0) return 'z.record(z.string(), z.unknown())'
  const required = elementsOf(schema['required'])
  const rows = members.map(([name, member]) => {
    const source = deeper(
      member,
      { required: required.includes(name) },
      { ...place, at: `${place.at}.${name}` },
    )
    return `${keySource(name)}: ${source}`
  })
  return `z.object({ ${rows.join(', ')} })`
}

/** Recursive and very deep schemas become `z.unknown()`. */
function deeper(schema: unknown, membership: Membership, place: Required<Place>): string {
  const { api, above } = place
  if (above.length > DEEPEST || above.includes(api.follow(schema))) {
    leaveOut(['a schema that is recursive or nested deeply'], place)
    return `z.unknown()${membership.required ? '' : '.optional()'}`
  }
  return memberSource(schema, membership, place)
}

/** Whether a default has the type of its schema: another one would not compile. */
function fits(value: unknown, given: unknown, place: Place): boolean {
  const schema = wholeSchema(given, place.api)
  if (value === null) return isNullable(schema)
  const words = choicesOf(schema)
  if (words.length > 0) return words.includes(value)
  switch (typeOf(schema)) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value) && value.every((item) => fits(item, schema['items'], place))
    case 'object':
      return isPlainRecord(schema, value)
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === typeOf(schema)
    default:
      return true
  }
}

/** Only objects without known members: others could lack one. */
function isPlainRecord(schema: JsonObject, value: unknown): boolean {
  return Object.keys(membersOf(schema['properties'])).length === 0 && membersOf(value) === value
}

/** The source of a member name. */
export function keySource(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : valueSource(name)
}

/** The source of a value; a text has single quotes if it needs no escape. */
export function valueSource(value: unknown): string {
  const text = JSON.stringify(value)
  return typeof value === 'string' && !/['\\]/.test(text) ? `'${text.slice(1, -1)}'` : text
}
