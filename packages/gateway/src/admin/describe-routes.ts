import type { RouteConfig } from '../config/config-schema.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import type { Plugin } from '../plugin.ts'
import { planOf } from '../plugins/plugin-set.ts'
import { hideSecrets } from './hide-secrets.ts'

/** The routes, the plan of every plugin for each of them, and their services; nothing in it is secret. */
export function describeRoutes({ config, plugins }: Pick<Snapshot, 'config' | 'plugins'>) {
  const { routes, gateway } = config
  const upstream = { name: 'upstream', configured: true, configuration: { ...gateway.limits } }
  const sections: Readonly<Record<string, unknown>> = config.plugins
  const describePlugin = (plugin: Plugin) => ({
    name: plugin.name,
    configured: routes.some((route) => planOf(plugin, route).runs),
    configuration: hideSecrets(sections[plugin.name]),
  })
  return {
    routes: routes.map((route) => describeRoute(route, plugins)),
    plugins: [...plugins.map(describePlugin), upstream],
    services: describeServices(routes),
  }
}

function describeRoute(route: RouteConfig, plugins: readonly Plugin[]) {
  const { id, method, path, mode, executionTimeoutSeconds, roles, conformance } = route
  return {
    id,
    method,
    path,
    target: String(hideSecrets(route.target)),
    mode,
    executionTimeoutSeconds,
    roles,
    license: route.license ?? null,
    conformance,
    plugins: [...plugins.map((plugin) => describePlan(plugin, route)), upstreamPlan(route)],
  }
}

function describePlan(plugin: Plugin, route: RouteConfig) {
  const { name, runs, why } = planOf(plugin, route)
  return { name, runs, because: why }
}

function upstreamPlan(route: RouteConfig) {
  return { name: 'upstream', runs: true, because: `the request goes to ${originOf(route)}` }
}

function describeServices(routes: readonly RouteConfig[]) {
  const byOrigin = Map.groupBy(routes, originOf)
  return [...byOrigin].map(([origin, own]) => ({ origin, routes: own.map(({ id }) => id) }))
}

function originOf({ target }: RouteConfig): string {
  return new URL(target).origin
}
