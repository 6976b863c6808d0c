import { type JsonMap, listOf, mapOf, type OpenApi } from './openapi.ts'
import { patternsOf, wholeSchema } from './whole-schema.ts'

const DEEPEST = 3
const MOST_MEMBERS = 40

interface Place {
  readonly api: Pick<OpenApi, 'follow'>
  /** The schemas around this one; none for an input. */
  readonly above?: readonly unknown[]
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
  return `${base}${hasDefault ? `.default(${valueSource(usual)})` : '.optional()'}`
}

/** The source of a zod schema for a JSON Schema. Unsupported parts become `z.unknown()`. */
export function zodSource(given: unknown, { api, above = [] }: Place): string {
  const schema = wholeSchema(given, api)
  const base = baseSource(schema, { api, above: [...above, api.follow(given)] })
  return isNullable(schema) ? `${base}.nullable()` : base
}

function isNullable(schema: JsonMap): boolean {
  return schema['nullable'] === true || [schema['type']].flat().includes('null')
}

function typeOf(schema: JsonMap): unknown {
  return [schema['type']].flat().find((type) => type !== 'null')
}

/** The values of `const` or `enum`; empty when the schema does not list any. */
function choicesOf(schema: JsonMap): readonly unknown[] {
  return Object.hasOwn(schema, 'const')
    ? [schema['const']]
    : listOf(schema['enum']).filter((word) => word !== null)
}

function baseSource(schema: JsonMap, place: Required<Place>): string {
  const words = choicesOf(schema)
  if (words.length > 0) return choiceSource(words)
  switch (typeOf(schema)) {
    case 'string':
      return `z.string()${calls(schema, lengthCalls)}${patternsOf(schema).map(patternCall).join('')}`
    case 'integer':
      return `z.int()${rangeCalls(schema)}`
    case 'number':
      return `z.number()${rangeCalls(schema)}`
    case 'boolean':
      return 'z.boolean()'
    case 'array':
      return `z.array(${deeper(schema['items'], { required: true }, place)})${calls(schema, countCalls)}`
    case 'object':
      return objectSource(schema, place)
    default:
      return 'z.unknown()'
  }
}

function choiceSource(words: readonly unknown[]): string {
  const texts = words.map(valueSource)
  if (words.every((word) => typeof word === 'string')) return `z.enum([${texts.join(', ')}])`
  const isPlain = words.every((word) => ['string', 'number', 'boolean'].includes(typeof word))
  return isPlain ? `z.literal([${texts.join(', ')}])` : 'z.unknown()'
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

function calls(schema: JsonMap, rows: Calls): string {
  return rows
    .filter(([keyword]) => Number.isFinite(schema[keyword]))
    .map(([keyword, method]) => `.${method}(${schema[keyword]})`)
    .join('')
}

/** OpenAPI 3.0 has a boolean `exclusiveMinimum` beside `minimum`; JSON Schema has a number instead. */
function rangeCalls(schema: JsonMap): string {
  const { exclusiveMinimum, exclusiveMaximum } = schema
  return calls(schema, [
    ['minimum', exclusiveMinimum === true ? 'gt' : 'min'],
    ['maximum', exclusiveMaximum === true ? 'lt' : 'max'],
    ['exclusiveMinimum', 'gt'],
    ['exclusiveMaximum', 'lt'],
    ['multipleOf', 'multipleOf'],
  ])
}

function patternCall(pattern: string): string {
  const expression = compiled(pattern, 'u') ?? compiled(pattern, '')
  return expression === undefined ? '' : `.regex(${expression})`
}

/** JSON Schema patterns are those of ECMA-262 with Unicode; many documents have older ones. */
function compiled(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}

function objectSource(schema: JsonMap, place: Required<Place>): string {
  const all = Object.entries(mapOf(schema['properties'])).filter(([name]) => name !== '__proto__')
  const members = all.slice(0, MOST_MEMBERS)
  if (members.length === 0) return 'z.record(z.string(), z.unknown())'
  const required = listOf(schema['required'])
  const rows = members.map(
    ([name, member]) => `${keySource(name)}: ${deeper(member, { required: required.includes(name) }, place)}`,
  )
  return `z.object({ ${rows.join(', ')} })`
}

/** Recursive and very deep schemas become `z.unknown()`. */
function deeper(schema: unknown, membership: Membership, place: Required<Place>): string {
  const { api, above } = place
  if (above.length > DEEPEST || above.includes(api.follow(schema)))
    return `z.unknown()${membership.required ? '' : '.optional()'}`
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
function isPlainRecord(schema: JsonMap, value: unknown): boolean {
  return Object.keys(mapOf(schema['properties'])).length === 0 && mapOf(value) === value
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
