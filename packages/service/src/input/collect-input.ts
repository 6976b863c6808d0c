import { isDeeperThan, MAX_JSON_DEPTH } from '../http/read-body.ts'
import type { Operation } from '../operation.ts'
import type { InputField, JsonType } from './input-fields.ts'

/** Inputs by name, before their schema has judged them. Plain JSON. */
export type CollectedInput = Readonly<Record<string, unknown>>

/** Where inputs come from. */
export interface InputSource {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * Takes each input from its own place. An input that stands in another place does not count, so that nobody can
 * set in the body what has to come with the path; unknown members of the body are left for the schema to judge.
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
  // Not assignment: `__proto__` as a name has to stay a name.
  return Object.fromEntries(entries)
}

function valueAt(field: InputField, source: InputSource): unknown {
  const texts = textsAt(field, source)
  const [first, ...others] = texts
  if (first === undefined) return undefined
  if (isList(field)) return coerceList(texts, field)
  // A second value is a fault that the schema names: no reader shall pick one of the two.
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
// What JSON calls a number, so that neither `0x10` nor an empty text nor `Infinity` is one.
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * A value of a JSON body. The profile has no type hint for a number with a fraction, so it is asked for as a
 * string and a numeric string is taken for it (decision 31).
 */
function coerceJson(value: unknown, { types }: Pick<InputField, 'types'>): unknown {
  if (typeof value !== 'string' || types.has('string') || !types.has('number')) return value
  return toNumber(value)
}

/** A value of a path, a query or a header, where everything is text; what does not fit is left for the schema to refuse. */
function coerceText(text: string, types: ReadonlySet<JsonType>): unknown {
  if (types.has('string')) return text
  if (types.has('integer') && INTEGER.test(text)) return toSafeInteger(text)
  if (types.has('number')) return toNumber(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return types.has('object') ? toObject(text) : text
}

/** A list comes as a repeated query parameter, or as one header with commas. */
function coerceList(texts: readonly string[], { itemTypes }: Pick<InputField, 'itemTypes'>): unknown[] {
  return texts.map((text) => coerceText(text, itemTypes))
}

/** Whether a text for this input is one element of a list. */
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

/** What is nested too deep stays a text, which the schema refuses. */
function toObject(text: string): unknown {
  if (isDeeperThan(text, MAX_JSON_DEPTH)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
