import type { GatewayConfig, RouteConfig } from '../config/config-schema.ts'
import { RESERVED_PATHS } from '../config/schema/path-template.ts'
import { createRouter, NEIGHBOUR_FAULT } from '../lifetime/router.ts'
import { canonicalTarget } from '../listen/canonical-path.ts'
import { silentLog } from '../log.ts'
import type { LoadedPlugin } from '../plugins/custom/load-plugins.ts'
import { type PlannedPlugin, planPlugins } from '../plugins/plugin-set.ts'
import { ownMethods } from './own-endpoints.ts'

/** A request, as far as finding its route goes. */
export interface TriedRequest {
  readonly method: string
  /** Path and query as a client sends them. */
  readonly target: string
}

/** The custom plugins of the configuration, as `loadPlugins` gives them, and their base folder. */
export interface TrialOptions {
  readonly customPlugins?: readonly LoadedPlugin[]
  readonly baseFolder?: string
}

/** Where a request would go. */
export type RouteTrial =
  | {
      readonly type: 'route'
      readonly route: RouteConfig
      readonly params: Readonly<Record<string, string>>
      readonly plugins: readonly PlannedPlugin[]
    }
  /** The gateway answers it itself, before any plugin. */
  | { readonly type: 'own'; readonly path: string }
  | { readonly type: 'no_route'; readonly path: string }
  | { readonly type: 'method_not_allowed'; readonly path: string; readonly allowedMethods: readonly string[] }
  /** No gateway would look for a route: the path itself is refused (decisions 6 and 37). */
  | { readonly type: 'refused'; readonly reason: string }

/** Finds the route of a request with the router of the gateway, without starting one. */
export function tryRoute(
  config: GatewayConfig,
  { method, target }: TriedRequest,
  { customPlugins = [], baseFolder = process.cwd() }: TrialOptions = {},
): RouteTrial {
  const canonical = canonicalTarget(target, undefined)
  if (!canonical.ok) return { type: 'refused', reason: canonical.message }
  const { path } = canonical
  if (RESERVED_PATHS.includes(path))
    return ownMethods.includes(method)
      ? { type: 'own', path }
      : { type: 'method_not_allowed', path, allowedMethods: ownMethods }
  const router = createRouter(config.routes)
  const match = router.match(method, path)
  if (match.route !== undefined) {
    const { route, isNeighbour } = match
    if (isNeighbour) return { type: 'refused', reason: NEIGHBOUR_FAULT }
    return {
      type: 'route',
      route,
      params: match.params,
      plugins: planPlugins(
        { sections: config.plugins, custom: customPlugins, limits: config.gateway },
        route,
        {
          log: silentLog,
          baseFolder,
        },
      ),
    }
  }
  const { allowedMethods } = match
  return allowedMethods.length === 0
    ? { type: 'no_route', path }
    : { type: 'method_not_allowed', path, allowedMethods }
}
