import { isDeeperThan, MAX_JSON_DEPTH } from '../http/json-depth.ts'
import type { InputField } from './input-fields.ts'
import type { JsonType } from './value-types.ts'

const INTEGER = /^-?\d{1,16}$/
// What JSON calls a number, so that neither `0x10` nor an empty text nor `Infinity` is one.
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * A value of a JSON body. The profile has no type hint for a number with a fraction, so it is asked for as a
 * string and a numeric string is taken for it (decision 31).
 */
export function coerceJson(value: unknown, { types }: Pick<InputField, 'types'>): unknown {
  if (typeof value !== 'string' || types.has('string') || !types.has('number')) return value
  return toNumber(value)
}

/** A value of a path, a query or a header, where everything is text; what does not fit is left for the schema to refuse. */
export function coerceText(text: string, types: ReadonlySet<JsonType>): unknown {
  if (types.has('string')) return text
  if (types.has('integer') && INTEGER.test(text)) return toSafeInteger(text)
  if (types.has('number')) return toNumber(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return types.has('object') ? toObject(text) : text
}

/** A list comes as a repeated query parameter, or as one header with commas. */
export function coerceList(
  texts: readonly string[],
  { itemTypes }: Pick<InputField, 'itemTypes'>,
): unknown[] {
  return texts.map((text) => coerceText(text, itemTypes))
}

/** Whether a text for this input is one element of a list. */
export function isList({ types }: Pick<InputField, 'types'>): boolean {
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
