import type { Operation } from '../operation.ts'
import { coerceJson, coerceList, coerceText, isList } from './coerce.ts'
import type { InputField } from './input-fields.ts'

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
