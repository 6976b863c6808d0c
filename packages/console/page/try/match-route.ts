import { templateParameters } from '@agentic-rest/profile'
import type { Route } from '../api/bodies.ts'

/** The route of a method and path, the methods of the path, or nothing. */
export type RouteMatch =
  | { readonly type: 'route'; readonly route: Route; readonly params: ReadonlyMap<string, string> }
  | { readonly type: 'method'; readonly methods: readonly string[] }
  | { readonly type: 'none' }

/** Finds the route that the gateway would use. A literal segment beats a parameter, from left to right. */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch {
  const fitting = routes.filter((route) => fits(route.path, path)).toSorted(literalsFirst)
  const route =
    fitting.find((each) => each.method === method) ??
    fitting.find((each) => method === 'HEAD' && each.method === 'GET')
  if (route !== undefined) return { type: 'route', route, params: paramsOf(route.path, path) }
  const methods = [...new Set(fitting.map((each) => each.method))]
  return methods.length === 0 ? { type: 'none' } : { type: 'method', methods }
}

function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/')
}

function isParam(segment: string): boolean {
  return /^\{.*\}$/.test(segment)
}

function fits(template: string, path: string): boolean {
  const wanted = segmentsOf(template)
  const given = segmentsOf(path)
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) => (isParam(segment) ? given[index] !== '' : segment === given[index]))
  )
}

function literalsFirst(a: Route, b: Route): number {
  const [left, right] = [segmentsOf(a.path), segmentsOf(b.path)]
  const index = left.findIndex((segment, at) => isParam(segment) !== isParam(right[at] ?? ''))
  if (index < 0) return 0
  return isParam(left[index] ?? '') ? 1 : -1
}

function paramsOf(template: string, path: string): ReadonlyMap<string, string> {
  const given = segmentsOf(path)
  const values = segmentsOf(template).flatMap((segment, index) =>
    isParam(segment) ? [decode(given[index] ?? '')] : [],
  )
  return new Map(templateParameters(template).map((name, index) => [name, values[index] ?? '']))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
