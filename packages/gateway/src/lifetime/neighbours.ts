import type { RouteConfig } from '../config/config-schema.ts'
import { looseSegment, parameterName, pathSegments } from '../config/schema/path-template.ts'
import { canonicalTarget } from '../listen/canonical-path.ts'

/** Whether a request, matched to a route, has a parameter value that a less strict server takes for a neighbour of it. */
export type NeighbourCheck = (route: RouteConfig, path: string) => boolean

/** A segment of the routes of one method. */
interface Node {
  /** Literals by their loose form. */
  readonly literals: Map<string, Literal>
  parameter: Node | undefined
  /** The routes that end here: several, when their paths differ only in spelling. */
  readonly routes: RouteConfig[]
}

interface Literal {
  readonly node: Node
  /** The canonical spellings in the configuration. */
  readonly spellings: Set<string>
}

/** A place at which a route has a parameter: the node, and the index of the segment. */
interface Place {
  readonly node: Node
  readonly index: number
}

/** A route with neighbours: the root of its method, and the places that have literals too. */
interface Guard {
  readonly root: Node
  readonly places: readonly Place[]
}

/**
 * Creates the check (decision 37). Servers differ in case, in encoded characters and in path parameters after a semicolon:
 * `/items/EXPORT` and `/items/export;x` are `/items/{id}` here and may be `/items/export` there.
 */
export function createNeighbourCheck(routes: readonly RouteConfig[]): NeighbourCheck {
  const roots = new Map<string, Node>()
  for (const route of routes) insert(rootOf(roots, route), route)
  const guarded = new Map<RouteConfig, Guard>()
  for (const [root, route] of routes.map((route) => [rootOf(roots, route), route] as const)) {
    const places = parameterPlaces(root, route).filter(({ node }) => node.literals.size > 0)
    // Most routes have no neighbour, and their requests cost nothing.
    if (places.length > 0) guarded.set(route, { root, places })
  }
  return function isNeighbour(route, path) {
    const guard = guarded.get(route)
    if (guard === undefined) return false
    const segments = pathSegments(path)
    const hits = literalHits(guard.places, segments)
    return hits !== 'none' && (hits === 'respelled' || !leadsTo(guard.root, route, segments))
  }
}

function rootOf(roots: Map<string, Node>, { method }: RouteConfig): Node {
  const root = roots.get(method) ?? createNode()
  roots.set(method, root)
  return root
}

function createNode(): Node {
  return { literals: new Map(), parameter: undefined, routes: [] }
}

function insert(root: Node, route: RouteConfig): void {
  let node = root
  for (const segment of pathSegments(route.path)) node = child(node, segment)
  node.routes.push(route)
}

function child(node: Node, segment: string): Node {
  if (parameterName(segment) !== undefined) {
    node.parameter ??= createNode()
    return node.parameter
  }
  const loose = looseSegment(segment)
  const literal = node.literals.get(loose) ?? { node: createNode(), spellings: new Set() }
  node.literals.set(loose, literal)
  literal.spellings.add(canonical(segment))
  return literal.node
}

function canonical(segment: string): string {
  const target = canonicalTarget(`/${segment}`, undefined)
  return target.ok ? target.path.slice(1) : segment
}

function parameterPlaces(root: Node, { path }: RouteConfig): Place[] {
  const places: Place[] = []
  let node = root
  for (const [index, segment] of pathSegments(path).entries()) {
    if (parameterName(segment) !== undefined) places.push({ node, index })
    node = child(node, segment)
  }
  return places
}

/** Whether values are literals at their places, in another spelling or the same. Without one the route is the only reading. */
function literalHits(places: readonly Place[], segments: readonly string[]): 'none' | 'same' | 'respelled' {
  let hits: 'none' | 'same' = 'none'
  for (const { node, index } of places) {
    const segment = segments[index] ?? ''
    const literal = node.literals.get(looseSegment(segment))
    if (literal === undefined) continue
    if (!literal.spellings.has(segment)) return 'respelled'
    // The literal gave way: it led nowhere.
    hits = 'same'
  }
  return hits
}

/** The path in its loose form leads to the same route. A literal beats a parameter, and gives way where it leads nowhere. */
function leadsTo(root: Node, route: RouteConfig, segments: readonly string[]): boolean {
  return looseRoutes(root, segments.map(looseSegment)).includes(route)
}

function looseRoutes(node: Node | undefined, segments: readonly string[]): readonly RouteConfig[] {
  const [segment, ...rest] = segments
  if (node === undefined) return []
  if (segment === undefined) return node.routes
  const found = looseRoutes(node.literals.get(segment)?.node, rest)
  return found.length > 0 ? found : looseRoutes(node.parameter, rest)
}
