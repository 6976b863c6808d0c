import { type JsonObject, membersOf } from '@agentic-rest/profile'
import type { OpenApi } from './openapi.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const SEGMENT = /^(?:\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z0-9\-._~!$&'()+,;=:@]+)$/
const PARAMETER = /^\{([^{}]*)\}$/
// Paths that the gateway or the SDK answers itself.
const RESERVED = ['/metrics', '/healthz', '/readyz', '/openapi.json']

/** One operation of a document. */
export interface FoundOperation {
  readonly method: (typeof methods)[number]
  /** The path with names of parameters that a route can have. */
  readonly path: string
  readonly operation: JsonObject
  /** The path item that it is part of. */
  readonly item: JsonObject
}

/** Finds all operations whose path a route can have; the notes name the other paths and renamed parameters. */
export function findOperations(api: OpenApi): { found: FoundOperation[]; notes: string[] } {
  const notes: string[] = []
  const found = Object.entries(membersOf(api.document['paths'])).flatMap(([given, value]) => {
    const path = given
      .split('/')
      .map((segment) => segment.replace(PARAMETER, (_, name: string) => `{${parameterName(name)}}`))
      .join('/')
    const problem = pathProblem(path)
    if (problem !== undefined) {
      notes.push(`${JSON.stringify(given)} is left out: ${problem}`)
      return []
    }
    if (path !== given)
      notes.push(`${JSON.stringify(given)} becomes ${JSON.stringify(path)}: ${PARAMETER_RULE}`)
    const item = api.follow(value)
    return methods.flatMap((method) => {
      const operation = item[method.toLowerCase()]
      return operation === undefined ? [] : [{ method, path, operation: api.follow(operation), item }]
    })
  })
  return { found, notes }
}

const PARAMETER_RULE = 'the name of a parameter has letters, digits and _, and starts with no digit'

/** The name of a path parameter in a route: `parcelId` for `parcel-id`. */
export function parameterName(given: string): string {
  return given.replaceAll(/[^A-Za-z0-9_]+(.?)/g, (_, next: string, at: number) =>
    at === 0 ? next : next.toUpperCase(),
  )
}

function pathProblem(path: string): string | undefined {
  const segments = path.split('/').slice(1)
  if (!path.startsWith('/') || path === '/') return 'a route needs a path with at least one segment'
  if (RESERVED.includes(path)) return 'the gateway or the SDK answers this path itself'
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'it has a dot segment'
  const names = segments.filter((segment) => PARAMETER.test(segment))
  if (new Set(names).size < names.length) return 'two parameters have one name'
  if (names.some((name) => !SEGMENT.test(name))) return PARAMETER_RULE
  if (segments.every((segment) => SEGMENT.test(segment))) return undefined
  return segments.some((segment) => /[{}]/.test(segment))
    ? 'each parameter must be a whole segment such as {name}'
    : 'it has a character that a path of a route cannot have'
}
