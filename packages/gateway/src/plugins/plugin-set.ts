import type { PluginsConfig, RouteConfig } from '../config/config-schema.ts'
import type { Closable, Hold, Plugin, PluginContext, PluginPlan } from '../plugin.ts'
import type { Held, Shared } from '../upstream/shared-resources.ts'
import { licenseCheck, planLicenseCheck } from './license-check/license-check.ts'
import { otelAudit, planOtelAudit } from './otel-audit/otel-audit.ts'
import { planPromptSanitize, promptSanitize } from './prompt-sanitize/prompt-sanitize.ts'
import { planTenantInjector, tenantInjector } from './tenant-injector/tenant-injector.ts'
import { planTokenValidator, tokenValidator } from './token-validator/token-validator.ts'

/** The gateway's own plugins, in the order in which every request passes them. */
export const builtInPlugins = [
  'token-validator',
  'tenant-injector',
  'license-check',
  'prompt-sanitize',
  'otel-audit',
] as const

/** The name of one of the gateway's own plugins, which is also its key in the configuration. */
export type BuiltInName = (typeof builtInPlugins)[number]

interface BuiltIn {
  create(plugins: PluginsConfig, context: PluginContext): Plugin
  /** The same answer as `plan` of the created plugin, without its connections, files and timers. */
  plan(plugins: PluginsConfig, route: RouteConfig): PluginPlan
}

const builtIn = {
  'token-validator': {
    create: (plugins, context) => tokenValidator(plugins['token-validator'], context),
    plan: (plugins, route) => planTokenValidator(plugins['token-validator'], route),
  },
  'tenant-injector': {
    create: (plugins, context) => tenantInjector(tenantSettings(plugins), context),
    plan: (plugins) => planTenantInjector(tenantSettings(plugins)),
  },
  'license-check': {
    create: (plugins, context) => licenseCheck(plugins['license-check'], context),
    plan: (_, route) => planLicenseCheck(route),
  },
  'prompt-sanitize': {
    create: (plugins, context) => promptSanitize(plugins['prompt-sanitize'], context),
    plan: (plugins) => planPromptSanitize(plugins['prompt-sanitize']),
  },
  'otel-audit': {
    create: (plugins, context) => otelAudit(plugins['otel-audit'], context),
    plan: (plugins) => planOtelAudit(plugins['otel-audit']),
  },
} satisfies Record<BuiltInName, BuiltIn>

/** Without tokens no caller is known, and the header is the only source of a tenant. */
function tenantSettings(plugins: PluginsConfig) {
  return { ...plugins['tenant-injector'], callersKnown: plugins['token-validator'].mode === 'on' }
}

/** The parts that plugins are made with: a register of all their resources instead of the part of one plugin. */
export interface PluginWorld extends Omit<PluginContext, 'hold'> {
  readonly resources: Shared<Closable>
}

/** Makes the plugins of a configuration in their order; closes those already made when one of them fails. */
export function createPlugins(plugins: PluginsConfig, world: PluginWorld): Plugin[] {
  const made: Plugin[] = []
  try {
    for (const name of builtInPlugins)
      made.push(builtIn[name].create(plugins, { ...world, hold: holdFor(name, world.resources) }))
    return made
  } catch (error) {
    // The plugins made before it have timers and connections: a failed start must not keep the process alive.
    for (const plugin of made) void plugin.close?.()
    throw error
  }
}

/** Keys of two plugins never meet: each key starts with the plugin's name. */
export function holdFor(name: string, resources: Shared<Closable>): Hold {
  return <Resource extends Closable>(key: string, make: () => Resource) =>
    // The register holds resources of every type; under this plugin's keys there are only those it made.
    resources.hold(`${name} ${key}`, make) as Held<Resource>
}

/** A plugin of a pipeline with its plan for one route. */
export interface PlannedPlugin extends PluginPlan {
  readonly name: string
}

/** The plan of every plugin for a route, from the configuration alone: nothing is opened. */
export function planPlugins(plugins: PluginsConfig, route: RouteConfig): PlannedPlugin[] {
  return builtInPlugins.map((name) => ({ name, ...builtIn[name].plan(plugins, route) }))
}

const NO_PLAN: PluginPlan = { runs: true, why: 'runs for every route' }

/** The plan of a running plugin. */
export function planOf(plugin: Plugin, route: RouteConfig): PlannedPlugin {
  return { name: plugin.name, ...(plugin.plan?.(route) ?? NO_PLAN) }
}
