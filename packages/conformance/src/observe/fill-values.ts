import { randomUUID } from 'node:crypto'

/** A value that a scenario names and that nothing has given. */
export class UnknownValueError extends Error {
  override readonly name = 'UnknownValueError'
}

/** Values that earlier steps captured. `uuid` is a fresh one each time it is named. */
export type Values = ReadonlyMap<string, string>

/** Fills in `{{name}}` in every text of a value; keys stay as they are. */
export function fillValues<Value>(value: Value, values: Values): Value {
  return fill(value, values) as Value
}

function fill(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return fillText(value, values)
  if (Array.isArray(value)) return value.map((item) => fill(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values)]))
}

function fillText(text: string, values: Values): string {
  return text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => {
    if (name === 'uuid') return randomUUID()
    const value = values.get(name)
    if (value === undefined) throw new UnknownValueError(`no step has captured {{${name}}}`)
    return value
  })
}
