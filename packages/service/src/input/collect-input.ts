import { parseJson } from '@agentic-rest/profile'
import type { Operation } from '../operation.ts'
import type { InputField, JsonType } from './input-fields.ts'

/** Inputs by name, before the check by their schema. Plain JSON. */
export type CollectedInput = Readonly<Record<string, unknown>>

/** The sources of inputs. */
export interface InputSource {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * Reads each input from its location. Values at another location are ignored, so that the body cannot override the path.
 * Unknown members of the body are left to the schema.
 */
export function collectInput({ fields }: Pick<Operation, 'fields'>, source: InputSource): CollectedInput {
  const entries: [string, unknown][] = []
  for (const [name, value] of Object.entries(source.body)) {
    const field = fields.get(name)
    if (field === undefined) entries.push([name, value])
    else if (field.location === 'body') entries.push([name, coerceJson(value, field)])
  }
  for (const field of fields.values()) {
    const value = field.location === 'body' ? undefined : valueAt(field, source)
    if (value !== undefined) entries.push([field.name, value])
  }
  // `fromEntries` keeps `__proto__` as a plain name; an assignment would not.
  return Object.fromEntries(entries)
}

function valueAt(field: InputField, source: InputSource): unknown {
  const texts = textsAt(field, source)
  const [first, ...others] = texts
  if (first === undefined) return undefined
  if (isList(field)) return coerceList(texts, field)
  // The schema reports repeated values as a fault. Picking one of them would be ambiguous.
  return others.length > 0 ? texts : coerceText(first, field.types)
}

function textsAt(field: InputField, { params, query, headers }: InputSource): readonly string[] {
  switch (field.location) {
    case 'path':
      return Object.hasOwn(params, field.name) ? [params[field.name] ?? ''] : []
    case 'query':
      return query.getAll(field.name)
    case 'header':
      return headerTexts(headers.get(field.name), field)
    case 'body':
      return []
  }
}

function headerTexts(value: string | null, field: InputField): readonly string[] {
  // An empty header counts as absent (decision 14).
  if (value === null || value === '') return []
  return isList(field) ? value.split(',').map((part) => part.trim()) : [value]
}

const INTEGER = /^-?\d{1,16}$/
// A JSON number: `0x10`, an empty text and `Infinity` are not numbers.
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Converts a value of a JSON body. The profile has no type hint for a number with a fraction, so it is asked for as a
 * string, and a numeric string is accepted (decision 31).
 */
function coerceJson(value: unknown, { types }: Pick<InputField, 'types'>): unknown {
  if (typeof value !== 'string' || types.has('string') || !types.has('number')) return value
  return toNumber(value)
}

/** Converts a text of a path, a query or a header. A text that does not fit stays a text, for the schema to refuse. */
function coerceText(text: string, types: ReadonlySet<JsonType>): unknown {
  if (types.has('string')) return text
  if (types.has('integer') && INTEGER.test(text)) return toSafeInteger(text)
  if (types.has('number')) return toNumber(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return types.has('object') ? toObject(text) : text
}

/** Converts a list: a repeated query parameter, or one header with commas. */
function coerceList(texts: readonly string[], { itemTypes }: Pick<InputField, 'itemTypes'>): unknown[] {
  return texts.map((text) => coerceText(text, itemTypes))
}

/** Whether the input is a list of texts. */
function isList({ types }: Pick<InputField, 'types'>): boolean {
  return types.has('array') && !types.has('string')
}

function toSafeInteger(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text
}

function toNumber(text: string): number | string {
  if (!NUMBER.test(text)) return text
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

/** Parses JSON. A text that is nested too deep, or with a number too large, stays a text, for the schema to refuse. */
function toObject(text: string): unknown {
  const { value, fault } = parseJson(text)
  return fault ? text : value
}
