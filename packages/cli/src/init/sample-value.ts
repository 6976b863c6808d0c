import { type JsonMap, listOf, mapOf } from './json-shape.ts'
import type { OpenApi } from './read-openapi.ts'

const DEEPEST = 4

/** A value that the zod schema of `zodSource` accepts: the document's own example where it has one. */
export function sampleValue(given: unknown, api: Pick<OpenApi, 'follow'>, depth = 0): unknown {
  const schema = api.follow(given)
  const named = [
    schema['example'],
    listOf(schema['examples'])[0],
    schema['const'],
    schema['default'],
    listOf(schema['enum'])[0],
  ]
  const found = named.find((value) => value !== undefined && value !== null)
  return found ?? makeValue(schema, (part) => (depth >= DEEPEST ? null : sampleValue(part, api, depth + 1)))
}

function makeValue(schema: JsonMap, make: (schema: unknown) => unknown): unknown {
  switch ([schema['type']].flat().find((type) => type !== 'null')) {
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? Math.min(1, Number(schema['maximum'] ?? 1)))
    case 'boolean':
      return true
    case 'array':
      return [make(schema['items'])]
    case 'object':
      return makeObject(schema, make)
    default:
      return 'text'
        .padEnd(Number(schema['minLength'] ?? 0), 't')
        .slice(0, Number(schema['maxLength'] ?? 1000))
  }
}

function makeObject(schema: JsonMap, make: (schema: unknown) => unknown): unknown {
  const members = mapOf(schema['properties'])
  const names = listOf(schema['required']).map(String)
  const known = names.filter((name) => name !== '__proto__' && Object.hasOwn(members, name))
  return Object.fromEntries(known.map((name) => [name, make(members[name])]))
}
