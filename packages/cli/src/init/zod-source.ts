import type { OpenApi } from './openapi.ts'
import { type JsonMap, listOf, mapOf } from './openapi.ts'

const DEEPEST = 3
const MOST_MEMBERS = 40

/** The source of a zod schema for a JSON Schema. Unsupported parts become `z.unknown()`. */
export function zodSource(
  given: unknown,
  api: Pick<OpenApi, 'follow'>,
  above: readonly unknown[] = [],
): string {
  const schema = api.follow(given)
  const types = [schema['type']].flat()
  const base = baseSource(schema, {
    api,
    above: [...above, schema],
    type: types.find((type) => type !== 'null'),
  })
  const nullable = schema['nullable'] === true || types.includes('null')
  return nullable ? `${base}.nullable()` : base
}

interface Place {
  readonly api: Pick<OpenApi, 'follow'>
  /** The schemas around this one, including itself. */
  readonly above: readonly unknown[]
  readonly type: unknown
}

function baseSource(schema: JsonMap, place: Place): string {
  const words = Object.hasOwn(schema, 'const')
    ? [schema['const']]
    : listOf(schema['enum']).filter((word) => word !== null)
  if (words.length > 0) return choiceSource(words)
  switch (place.type) {
    case 'string':
      return `z.string()${bounds(schema, ['minLength', 'maxLength'])}`
    case 'integer':
      return `z.int()${bounds(schema, ['minimum', 'maximum'])}`
    case 'number':
      return `z.number()${bounds(schema, ['minimum', 'maximum'])}`
    case 'boolean':
      return 'z.boolean()'
    case 'array':
      return `z.array(${deeper(schema['items'], place)})`
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

function bounds(schema: JsonMap, [least, most]: readonly [string, string]): string {
  const bound = (name: string, call: string) =>
    Number.isFinite(schema[name]) ? `.${call}(${schema[name]})` : ''
  return `${bound(least, 'min')}${bound(most, 'max')}`
}

function objectSource(schema: JsonMap, place: Place): string {
  const all = Object.entries(mapOf(schema['properties'])).filter(([name]) => name !== '__proto__')
  const members = all.slice(0, MOST_MEMBERS)
  if (members.length === 0) return 'z.record(z.string(), z.unknown())'
  const required = listOf(schema['required'])
  const rows = members.map(
    ([name, member]) =>
      `${keySource(name)}: ${deeper(member, place)}${required.includes(name) ? '' : '.optional()'}`,
  )
  return `z.object({ ${rows.join(', ')} })`
}

/** Recursive and very deep schemas become `z.unknown()`. */
function deeper(schema: unknown, { api, above }: Place): string {
  if (above.length > DEEPEST || above.includes(api.follow(schema))) return 'z.unknown()'
  return zodSource(schema, api, above)
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
