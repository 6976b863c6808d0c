import type { GatewayConfig, PluginsConfig, RouteConfig } from '../config/config-schema.ts'
import { type PluginName, pluginOrder } from '../plugin.ts'
import { hideSecrets } from './hide-secrets.ts'

interface PluginUse {
  readonly name: PluginName | 'upstream'
  readonly runs: boolean
  readonly because: string
}

/** The routes, what runs for each and why, and who is behind them; nothing in it is secret. */
export function describeRoutes({ routes, plugins, gateway }: GatewayConfig) {
  const upstream = { name: 'upstream', configured: true, configuration: { ...gateway.limits } }
  return {
    routes: routes.map((route) => describeRoute(route, plugins)),
    plugins: [...pluginOrder.map((name) => describePlugin(name, plugins)), upstream],
    services: describeServices(routes),
  }
}

function describeRoute(route: RouteConfig, plugins: PluginsConfig) {
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
    plugins: usedPlugins(route, plugins),
  }
}

function usedPlugins(route: RouteConfig, plugins: PluginsConfig): PluginUse[] {
  const used = pluginOrder.map((name) => ({ name, ...uses[name](route, plugins) }))
  const origin = originOf(route)
  return [...used, { name: 'upstream', runs: true, because: `the request goes to ${origin}` }]
}

type Use = (route: RouteConfig, plugins: PluginsConfig) => Omit<PluginUse, 'name'>

const uses = {
  'token-validator'({ roles }, plugins) {
    const { mode, issuers } = plugins['token-validator']
    if (mode === 'off') return { runs: false, because: 'tokens are not asked for (mode: off)' }
    const asked = `a token of ${count(issuers.length, 'issuer')} is asked for`
    return { runs: true, because: roles.length === 0 ? asked : `${asked}, with ${roles.join(' and ')}` }
  },
  'tenant-injector'(_route, plugins) {
    const { webhook, allowed } = plugins['tenant-injector']
    const source = webhook === undefined ? 'the token or the header names the tenant' : 'a directory is asked'
    return { runs: true, because: allowed === undefined ? source : `${source}, ${allowed.length} are let in` }
  },
  'license-check'({ license }) {
    if (license === undefined) return { runs: false, because: 'the route needs no licence' }
    return { runs: true, because: `the tenant needs a licence for ${license}` }
  },
  'prompt-sanitize'(_route, plugins) {
    const { rules } = plugins['prompt-sanitize']
    if (rules.length === 0) return { runs: false, because: 'there are no rules' }
    return { runs: true, because: `bodies are searched by ${count(rules.length, 'rule')}` }
  },
  'otel-audit'(_route, plugins) {
    const { enabled, exporter } = plugins['otel-audit']
    if (!enabled) return { runs: false, because: 'it is turned off' }
    return { runs: true, because: `one record per request goes to ${exporter}` }
  },
} satisfies Record<PluginName, Use>

function describePlugin(name: PluginName, plugins: PluginsConfig) {
  return { name, configured: hasWork[name](plugins), configuration: hideSecrets(plugins[name]) }
}

/** Whether a plugin has anything to do, for some route at least. */
const hasWork = {
  'token-validator': (plugins) => plugins['token-validator'].mode === 'on',
  'tenant-injector': () => true,
  'license-check': (plugins) => {
    const { tenants, webhook } = plugins['license-check']
    return webhook !== undefined || Object.keys(tenants).length > 0
  },
  'prompt-sanitize': (plugins) => plugins['prompt-sanitize'].rules.length > 0,
  'otel-audit': (plugins) => plugins['otel-audit'].enabled,
} satisfies Record<PluginName, (plugins: PluginsConfig) => boolean>

function describeServices(routes: readonly RouteConfig[]) {
  const byOrigin = Map.groupBy(routes, originOf)
  return [...byOrigin].map(([origin, own]) => ({ origin, routes: own.map(({ id }) => id) }))
}

function originOf({ target }: RouteConfig): string {
  return new URL(target).origin
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
