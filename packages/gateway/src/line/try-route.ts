import type { GatewayConfig, RouteConfig } from '../config/config-schema.ts'
import { RESERVED_PATHS } from '../config/schema/path-template.ts'
import { createRouter } from '../lifetime/router.ts'
import { canonicalTarget } from '../listen/canonical-path.ts'
import { type PluginName, pluginOrder } from '../plugin.ts'
import { ownMethods } from './own-endpoints.ts'

/** A request, as far as finding its route goes. */
export interface TriedRequest {
  readonly method: string
  /** Path and query as a client sends them. */
  readonly target: string
}

/** What a plugin would do for a request, and why. */
export interface PlannedPlugin {
  readonly name: PluginName
  readonly runs: boolean
  readonly why: string
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
  /** No gateway would look for a route: the path itself is refused (decision 6). */
  | { readonly type: 'refused'; readonly reason: string }

/** Finds the route of a request with the router of the gateway, without starting one. */
export function tryRoute(config: GatewayConfig, { method, target }: TriedRequest): RouteTrial {
  const canonical = canonicalTarget(target, undefined)
  if (!canonical.ok) return { type: 'refused', reason: canonical.message }
  const { path } = canonical
  if (RESERVED_PATHS.includes(path))
    return ownMethods.includes(method)
      ? { type: 'own', path }
      : { type: 'method_not_allowed', path, allowedMethods: ownMethods }
  const router = createRouter(config.routes.map((route) => ({ id: route.id, config: route })))
  const match = router.match(method, path)
  if (match.route !== undefined) {
    const route = match.route.config
    return { type: 'route', route, params: match.params, plugins: planPlugins(config.plugins, route) }
  }
  const { allowedMethods } = match
  return allowedMethods.length === 0
    ? { type: 'no_route', path }
    : { type: 'method_not_allowed', path, allowedMethods }
}

type Plan = Omit<PlannedPlugin, 'name'>
type Plugins = GatewayConfig['plugins']

function planPlugins(plugins: Plugins, route: RouteConfig): PlannedPlugin[] {
  return pluginOrder.map((name) => ({ name, ...plans[name](plugins, route) }))
}

const plans = {
  'token-validator': ({ 'token-validator': { mode, issuers } }, { roles }) => {
    const needed = roles.length === 0 ? '' : ` with ${count(roles, 'role')}`
    if (mode === 'on')
      return {
        runs: true,
        why: `wants a token of ${issuers.length === 1 ? 'the issuer' : `one of ${issuers.length} issuers`}${needed}`,
      }
    if (roles.length === 0) return { runs: false, why: 'its mode is off' }
    return {
      runs: true,
      why: `refuses everybody: its mode is off and the route wants ${count(roles, 'role')}`,
    }
  },
  'tenant-injector': ({ 'tenant-injector': { claim, allowed, webhook }, 'token-validator': { mode } }) => {
    const source =
      mode === 'off' ? 'the header' : `the ${webhook ? 'directory' : `claim ${claim}`} or the header`
    const bound = allowed === undefined ? '' : `; allowed: ${few(allowed)}`
    return { runs: true, why: `takes the tenant from ${source}${bound}` }
  },
  'license-check': (_, { license }) =>
    license === undefined
      ? { runs: false, why: 'the route names no license' }
      : { runs: true, why: `wants a licence for the feature ${license}` },
  'prompt-sanitize': ({ 'prompt-sanitize': { rules } }) =>
    rules.length === 0
      ? { runs: false, why: 'it has no rules' }
      : {
          runs: true,
          why: `looks at the body with ${count(
            rules.map(({ name }) => name),
            'rule',
          )}`,
        },
  'otel-audit': ({ 'otel-audit': { enabled, exporter } }) =>
    enabled
      ? { runs: true, why: `writes a record to ${exporter}` }
      : { runs: false, why: 'enabled is false' },
} satisfies Record<PluginName, (plugins: Plugins, route: RouteConfig) => Plan>

/** `role a`, `roles a, b`. */
function count(names: readonly string[], noun: string): string {
  return `${noun}${names.length === 1 ? '' : 's'} ${names.join(', ')}`
}

const MOST_NAMES = 5

function few(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
