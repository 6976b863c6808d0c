import { templateShape } from '@agentic-rest/profile'
import { TrieRouter } from 'hono/router/trie-router'
import { endWith, goOn, type Step } from '../answer.ts'
import type { Operation } from '../operation.ts'
import { compareTemplates, routerPath } from '../path-template.ts'
import { invalidAt, refusal } from '../refusals.ts'

/** The operation of a request, with decoded path parameters. */
export interface Match {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  /** The matched path, as used in digests. */
  readonly path: string
}

/** Finds operations by method and path. */
export interface Router {
  find(method: string, path: string): Step<Match>
}

/** Creates a router. Throws if two operations share an id, or method and path. */
export function createRouter(operations: readonly Operation[]): Router {
  assertDistinct(operations)
  const router = new TrieRouter<Operation>()
  // The router returns the first added match, and a literal must win over a parameter.
  const sorted = operations.toSorted((left, right) => compareTemplates(left.path, right.path))
  for (const operation of sorted) router.add(operation.method, routerPath(operation.path), operation)
  const allMethods = [...new Set(operations.map(({ method }) => method))]
  return {
    find(method, rawPath) {
      const path = withoutTrailingSlash(rawPath)
      const [found] = router.match(method, path)[0]
      if (found !== undefined) return openMatch({ operation: found[0], raw: found[1] as RawParams, path })
      const allowed = allMethods.filter((other) => router.match(other, path)[0].length > 0)
      if (allowed.length === 0) return endWith(refusal('NOT_FOUND'))
      return endWith(refusal('METHOD_NOT_ALLOWED'), { Allow: allowHeader(allowed) })
    },
  }
}

type RawParams = Readonly<Record<string, string>>

function openMatch(match: { operation: Operation; raw: RawParams; path: string }): Step<Match> {
  const { operation, raw, path } = match
  const entries: [string, string][] = []
  for (const name of operation.parameters) {
    const value = decodeSegment(raw[name] ?? '')
    if (value === undefined)
      return endWith(invalidAt('path', `The parameter ${name} cannot be used in a path.`))
    entries.push([name, value])
  }
  return goOn({ operation, params: Object.fromEntries(entries), path })
}

// Separators and control characters.
const REFUSED = String.raw`/\\\u0000-\u001f\u007f-\u009f`

/**
 * The values of path parameters. Later readers could take the refused characters for a separator or the end of the path
 * (decision 6), and URL parsers remove `.` and `..`, some also before a `;`. The document has the same pattern, so it has no `\p` and no
 * look-ahead, which generators of test data do not know.
 */
export const SEGMENT_PATTERN = String.raw`^(?:[^.${REFUSED}]|\.[^.;${REFUSED}]|\.\.[^;${REFUSED}])[^${REFUSED}]*$`

const SEGMENT = new RegExp(SEGMENT_PATTERN, 'u')

function decodeSegment(raw: string): string | undefined {
  try {
    const value = decodeURIComponent(raw)
    return SEGMENT.test(value) ? value : undefined
  } catch {
    return undefined
  }
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function allowHeader(allowed: readonly string[]): string {
  return (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).toSorted().join(', ')
}

function assertDistinct(operations: readonly Operation[]): void {
  const faults = [
    ...repeated(operations.map(({ id }) => id)).map((id) => `two operations have the id ${id}`),
    ...repeated(operations.map(shapeOfRoute)).map((route) => `two operations answer to ${route}`),
  ]
  if (faults.length > 0) throw new TypeError(faults.join('; '))
}

function shapeOfRoute({ method, path }: Operation): string {
  return `${method} ${templateShape(path)}`
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))]
}
