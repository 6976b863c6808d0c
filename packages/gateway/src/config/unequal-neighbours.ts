import type { RouteConfig } from './config-schema.ts'
import { looseSegment, parameterName, pathSegments } from './schema/path-template.ts'

const ACCESS_KEYS = ['roles', 'scopes', 'allow', 'license'] as const

type AccessKey = (typeof ACCESS_KEYS)[number]

/** Two routes of one method, a literal of one in the place of a parameter of the other, that let different callers in. */
export interface UnequalNeighbours {
  /** The position of the route with the literal. */
  readonly index: number
  /** The position of the route with the parameter. */
  readonly other: number
  readonly differing: readonly AccessKey[]
}

/** Finds neighbours that differ in what a caller needs. */
export const unequalNeighbours = (routes: readonly RouteConfig[]): UnequalNeighbours[] => {
  const neighboursOf = neighbourFinder(routes)
  return routes.flatMap((route, index) =>
    neighboursOf(route)
      .map((other) => ({
        index,
        other,
        differing: ACCESS_KEYS.filter((key) => accessOf(route, key) !== accessOf(routes[other], key)),
      }))
      .filter(({ differing }) => differing.length > 0),
  )
}

/** One text for what a caller needs: the order of roles and scopes does not matter. */
const accessOf = (route: RouteConfig | undefined, key: AccessKey): string => {
  const value = route?.[key]
  return typeof value === 'object' ? JSON.stringify([...new Set(value)].toSorted()) : (value ?? '')
}

// No literal has a control character.
const ANY = '\0'

/** Finds the routes with a parameter where a route has a literal. By look-up: a file may have thousands of routes. */
const neighbourFinder = (routes: readonly RouteConfig[]) => {
  const byShape = new Map<string, number[]>()
  const masks = new Map<string, Map<string, readonly boolean[]>>()
  for (const [index, route] of routes.entries()) {
    const shape = looseShape(route)
    const mask = shape.map((segment) => segment === ANY)
    if (!mask.includes(true)) continue
    const key = shapeKey(route, shape)
    byShape.set(key, [...(byShape.get(key) ?? []), index])
    const group = groupKey(route, shape)
    masks.set(group, (masks.get(group) ?? new Map()).set(mask.join(), mask))
  }
  return (route: RouteConfig): number[] => {
    const shape = looseShape(route)
    const possible = [...(masks.get(groupKey(route, shape))?.values() ?? [])]
    return possible.flatMap((mask) => {
      const hasLiteral = mask.some((isParameter, index) => isParameter && shape[index] !== ANY)
      const isWider = mask.some((isParameter, index) => !isParameter && shape[index] === ANY)
      if (!hasLiteral || isWider) return []
      const masked = shape.map((segment, index) => (mask[index] ? ANY : segment))
      return byShape.get(shapeKey(route, masked)) ?? []
    })
  }
}

const looseShape = ({ path }: RouteConfig): string[] =>
  pathSegments(path).map((segment) => (parameterName(segment) === undefined ? looseSegment(segment) : ANY))

const shapeKey = ({ method }: RouteConfig, shape: readonly string[]): string => [method, ...shape].join('/')

const groupKey = ({ method }: RouteConfig, shape: readonly string[]): string => `${method} ${shape.length}`
