import FindMyWay, { type HTTPMethod } from 'find-my-way'
import type { RouteConfig } from '../config/config-schema.ts'
import { parameterName, pathSegments } from '../config/schema/path-template.ts'
import { canonicalTarget } from '../listen/canonical-path.ts'
import { createNeighbourCheck } from './neighbours.ts'

/** A matched route, or the methods of the path. */
export type RouteMatch =
  | {
      readonly route: RouteConfig
      readonly params: Readonly<Record<string, string>>
      /** A parameter value may be a literal of another route to a less strict server: the request is refused. */
      readonly isNeighbour: boolean
    }
  | { readonly route: undefined; readonly allowedMethods: readonly string[] }

/** Finds the route of a request. */
export interface Router {
  match(method: string, path: string): RouteMatch
  /** The methods that a path can be requested with. */
  methods(path: string): readonly string[]
}

/** The fault of a path with the value of a neighbour, for messages. */
export const NEIGHBOUR_FAULT =
  'must not have a parameter value that names another route in other case or before a semicolon'

// The largest head that can be configured: the limit of the head is the only one.
const MAX_PARAM_LENGTH = 1_048_576

/** Makes the router for a set of routes. A literal segment beats a parameter; look-up time does not grow with the routes. */
export function createRouter(routes: readonly RouteConfig[]): Router {
  const tree = FindMyWay({ ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH })
  const methods = new Set<string>()
  const isNeighbour = createNeighbourCheck(routes)
  for (const route of routes) {
    methods.add(route.method)
    tree.on(route.method as HTTPMethod, treePath(route.path), noHandler, route)
  }
  const find = (method: string, path: string): RouteMatch | undefined => {
    const found = methods.has(method) ? tree.find(method as HTTPMethod, treeText(path)) : null
    if (found === null) return undefined
    const route = found.store as RouteConfig
    const params = decodeParams(found.params as Record<string, string>)
    return { route, params, isNeighbour: isNeighbour(route, path) }
  }
  const allowed = (path: string) => {
    const own = [...methods].filter((method) => find(method, path) !== undefined)
    return own.includes('GET') && !own.includes('HEAD') ? [...own, 'HEAD'] : own
  }
  return {
    methods: allowed,
    match(method, path) {
      const found = find(method, path)
      if (found !== undefined) return found
      // RFC 9110, section 9.1: a route for GET also serves HEAD.
      const head = method === 'HEAD' ? find('GET', path) : undefined
      return head ?? { route: undefined, allowedMethods: allowed(path) }
    },
  }
}

/** `{name}` is `:name` to the tree; a colon of a literal such as `assets:generate` is doubled. */
function treePath(template: string): string {
  const segments = pathSegments(template).map((segment) => {
    const name = parameterName(segment)
    return name === undefined ? treeLiteral(segment).replaceAll(':', '::') : `:${name}`
  })
  return `/${segments.join('/')}`
}

/** A literal in the canonical form of request paths. */
function treeLiteral(segment: string): string {
  const target = canonicalTarget(`/${segment}`, undefined)
  if (!target.ok) throw new TypeError(`no request can ask for this segment: it ${target.message}`)
  return treeText(target.path.slice(1))
}

/**
 * Hides percent signs from the tree, which would decode them: `%3B` is another path than `;`, and a parameter must be
 * decoded once. No canonical path has a bare `^`.
 */
function treeText(path: string): string {
  return path.includes('%') ? path.replaceAll('%', '^') : path
}

function decodeParams(params: Record<string, string>): Record<string, string> {
  const decoded: Record<string, string> = Object.create(null)
  for (const name of Object.keys(params)) {
    const text = params[name] ?? ''
    decoded[name] = text.includes('^') ? decodeURIComponent(text.replaceAll('^', '%')) : text
  }
  return decoded
}

function noHandler(): void {
  // find-my-way requires a handler; we only look routes up.
}
