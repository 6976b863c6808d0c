import { atFragment, wholeSchema } from '@agentic-rest/profile'
import { type Fields, fieldsOf, numberOrNull, textOf } from '../api/read-json.ts'

/** The control that fits a schema. `lines`: a list outside of a body, one value a line. */
export type FieldKind = 'text' | 'integer' | 'number' | 'boolean' | 'choice' | 'json' | 'lines'

/** What a form needs to know of a schema. */
export interface Shape {
  readonly kind: FieldKind
  /** The types in words, such as `whole number`. */
  readonly typeWords: string
  /** The allowed values, if they are listed. */
  readonly choices: readonly unknown[]
  readonly examples: readonly unknown[]
  readonly fallback: unknown
  readonly description: string
  /** Whether a text may be longer than one line. */
  readonly isLong: boolean
}

// References can form a circle, and parts that have many parts each would freeze the page.
const MAX_PARTS = 500
const LONG_TEXT = 300

/** The number of schemas that may still be read for one answer. */
export interface Budget {
  left: number
}

/** The budget of one question about a schema. */
export function newBudget(): Budget {
  return { left: MAX_PARTS }
}

/** A schema without `$ref` and `allOf` at its top; empty for `true` and unreadable schemas. */
export function resolveSchema(document: Fields, value: unknown, budget = newBudget()): Fields {
  budget.left -= 1
  if (budget.left < 0) return new Map()
  return fieldsOf(wholeSchema(value, { find: (reference) => lookUp(document, reference) }))
}

/** The types of a schema, `null` included; empty for any type. */
export function typesOf(document: Fields, schema: Fields, budget = newBudget()): ReadonlySet<string> {
  const type = schema.get('type')
  if (typeof type === 'string') return new Set([type])
  if (Array.isArray(type)) return new Set(type.map(String))
  const variants = variantsOf(document, schema, budget)
  if (variants.length > 0) return new Set(variants.flatMap((each) => [...typesOf(document, each, budget)]))
  const values = schema.has('const') ? [schema.get('const')] : listIn(schema, 'enum')
  if (values.length > 0) return new Set(values.map(typeName))
  if (schema.has('properties')) return new Set(['object'])
  return new Set(schema.has('items') ? ['array'] : [])
}

/** The schemas of which one has to fit. */
export function variantsOf(document: Fields, schema: Fields, budget = newBudget()): Fields[] {
  const list = schema.has('anyOf') ? listIn(schema, 'anyOf') : listIn(schema, 'oneOf')
  return list.map((each) => resolveSchema(document, each, budget))
}

/** The control, the words and the hints for a schema. */
export function shapeOf(document: Fields, schema: Fields): Shape {
  const choices = choicesOf(document, schema)
  const types = [...typesOf(document, schema)].filter((type) => type !== 'null')
  const example = schema.has('example') ? [schema.get('example')] : []
  return {
    kind: choices.length > 0 ? 'choice' : kindOf(types),
    typeWords: types.map((type) => words.get(type) ?? type).join(' or '),
    choices,
    examples: [...listIn(schema, 'examples'), ...example],
    fallback: schema.get('default'),
    description: textOf(schema, 'description') || textOf(schema, 'title'),
    isLong: (numberOrNull(schema, 'maxLength') ?? longestVariant(document, schema)) > LONG_TEXT,
  }
}

/** The JSON type of a value. */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

const words: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['integer', 'whole number'],
  ['number', 'number'],
  ['boolean', 'yes or no'],
  ['array', 'list'],
  ['object', 'object'],
])

/** The name of a type for people. */
export function typeWord(type: string): string {
  return words.get(type) ?? type
}

function kindOf(types: readonly string[]): FieldKind {
  if (types.includes('string')) return 'text'
  if (types.length === 0 || types.includes('array') || types.includes('object')) return 'json'
  if (types.includes('boolean')) return types.length === 1 ? 'boolean' : 'json'
  return types.includes('number') ? 'number' : 'integer'
}

/** The listed values without null; none if another value fits too. */
export function choicesOf(document: Fields, schema: Fields, budget = newBudget()): unknown[] {
  const values = schema.has('const') ? [schema.get('const')] : listIn(schema, 'enum')
  const listed = values.filter((value) => value !== null)
  if (listed.length > 0) return listed
  const all = variantsOf(document, schema, budget)
  const variants = all.filter((each) => textOf(each, 'type') !== 'null')
  const each = variants.map((variant) => choicesOf(document, variant, budget))
  return each.some((values) => values.length === 0) ? [] : each.flat()
}

function longestVariant(document: Fields, schema: Fields): number {
  return Math.max(0, ...variantsOf(document, schema).map((each) => numberOrNull(each, 'maxLength') ?? 0))
}

/** The value at `#/components/schemas/Name`; other documents are not read. */
function lookUp(document: Fields, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  return atFragment(Object.fromEntries(document), reference.slice(1))
}

function listIn(schema: Fields, name: string): unknown[] {
  const value = schema.get(name)
  return Array.isArray(value) ? value : []
}
