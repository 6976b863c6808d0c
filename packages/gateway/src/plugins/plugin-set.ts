import { isDeepStrictEqual } from 'node:util'
import type { PluginsConfig, RouteConfig } from '../config/config-schema.ts'
import { type BuiltInName, builtInPlugins } from '../config/schema/plugin-sections.ts'
import { InitialisationError } from '../errors.ts'
import type { Closable, Hold, PipelineContext, PipelinePlugin, PluginPlan } from '../plugin.ts'
import { createShared, type Held, type Shared } from '../upstream/shared-resources.ts'
import { type CustomWorld, createCustomPlugin } from './custom/custom-plugin.ts'
import type { LoadedPlugin } from './custom/load-plugins.ts'
import { licenseCheck, planLicenseCheck } from './license-check/license-check.ts'
import { otelAudit, planOtelAudit } from './otel-audit/otel-audit.ts'
import { planPromptSanitize, promptSanitize } from './prompt-sanitize/prompt-sanitize.ts'
import { type LimitState, planRateLimits, RATE_LIMITS, rateLimits } from './rate-limits/rate-limits.ts'
import type { LimitSettings } from './rate-limits/reservations.ts'
import { planRoutePolicy, ROUTE_POLICY, routePolicy } from './route-policy/route-policy.ts'
import { planTenantInjector, tenantInjector } from './tenant-injector/tenant-injector.ts'
import { planTokenValidator, tokenValidator } from './token-validator/token-validator.ts'

interface BuiltIn {
  create(plugins: PluginsConfig, context: PipelineContext): PipelinePlugin
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

/** Scopes, policies and limits of a route are judged when the tenant is known (decision 39). */
const BEFORE_POLICY: BuiltInName = 'tenant-injector'

/** Without tokens no caller is known, and the header is the only source of a tenant. */
function tenantSettings(plugins: PluginsConfig) {
  return { ...plugins['tenant-injector'], callersKnown: plugins['token-validator'].mode === 'on' }
}

/** The plugin sections of a configuration, and its custom plugins. */
export interface PluginSources {
  readonly sections: PluginsConfig
  readonly custom: readonly LoadedPlugin[]
  /** The keys of the section `gateway` that limits need. */
  readonly limits: LimitSettings
}

/** The parts that plugins are made with: a register of all their resources instead of the part of one plugin. */
export interface PluginWorld extends Omit<PipelineContext, 'hold'> {
  readonly resources: Shared<Closable>
  /** The counts of `gateway.rate_limits`. */
  readonly limits: LimitState
}

/** Makes the plugins of a configuration in their order; closes those already made when one of them fails. */
export function createPlugins(sources: PluginSources, world: PluginWorld): PipelinePlugin[] {
  const { sections, custom, limits } = sources
  refuseUnloaded(sections, custom)
  const contextOf = (name: string) => ({ ...world, hold: holdFor(name, world.resources) })
  const made: PipelinePlugin[] = []
  try {
    for (const name of builtInPlugins) {
      made.push(builtIn[name].create(sections, contextOf(name)))
      if (name === BEFORE_POLICY) made.push(routePolicy(world), rateLimits(limits, world))
      for (const loaded of customAfter(name, custom))
        made.push(createCustomPlugin(loaded, contextOf(loaded.plugin.name)))
    }
    return made
  } catch (error) {
    // The plugins made before it have timers and connections: a failed start must not keep the process alive.
    for (const plugin of made) void plugin.close?.()
    throw error
  }
}

/** The custom plugins that follow one of the gateway's own, in the order they were given in. */
function customAfter(name: BuiltInName, custom: readonly LoadedPlugin[]): LoadedPlugin[] {
  return custom.filter(({ after }) => after === name)
}

/**
 * The loaded plugins must be those of the configuration, with the same entries in the same order. A missing one would let
 * requests pass that it refuses; another entry could give it the token.
 */
function refuseUnloaded({ custom: wanted = [] }: PluginsConfig, custom: readonly LoadedPlugin[]): void {
  const entries = custom.flatMap(({ entry }) => entry ?? [])
  const missing = wanted.find(({ name }) => !entries.some((entry) => entry.name === name))
  if (missing !== undefined)
    throw new InitialisationError(
      `plugins.custom: the module of ${missing.name} is not loaded; give createGateway the result of loadPlugins`,
    )
  if (!isDeepStrictEqual(entries, wanted))
    throw new InitialisationError(
      'plugins.custom: the loaded plugins have other entries; give createGateway the result of loadPlugins',
    )
  const names = custom.map(({ plugin }) => plugin.name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new InitialisationError(`there are two plugins with the name ${twice}`)
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

/** The plan of every plugin for a route. Only custom plugins are created for it: the others open connections. */
export function planPlugins(
  { sections, custom, limits }: PluginSources,
  route: RouteConfig,
  world: Omit<CustomWorld, 'hold'>,
): PlannedPlugin[] {
  return builtInPlugins.flatMap((name) => [
    { name, ...builtIn[name].plan(sections, route) },
    ...(name === BEFORE_POLICY ? planUnordered(limits, route) : []),
    ...customAfter(name, custom).map((loaded) => planCustom(loaded, route, world)),
  ])
}

/** The steps that no section orders. */
function planUnordered(limits: LimitSettings, route: RouteConfig): PlannedPlugin[] {
  return [
    { name: ROUTE_POLICY, ...planRoutePolicy(route) },
    { name: RATE_LIMITS, ...planRateLimits(limits, route) },
  ]
}

function planCustom(
  loaded: LoadedPlugin,
  route: RouteConfig,
  world: Omit<CustomWorld, 'hold'>,
): PlannedPlugin {
  const { name } = loaded.plugin
  try {
    const plugin = createCustomPlugin(loaded, { ...world, hold: holdFor(name, createShared<Closable>()) })
    const planned = planOf(plugin, route)
    void plugin.close?.()
    return planned
  } catch (error) {
    return { name, runs: true, why: error instanceof InitialisationError ? error.message : 'create failed' }
  }
}

const NO_PLAN: PluginPlan = { runs: true, why: 'runs for every route' }

/** The plan of a running plugin. */
export function planOf(plugin: PipelinePlugin, route: RouteConfig): PlannedPlugin {
  return { name: plugin.name, ...(plugin.plan?.(route) ?? NO_PLAN) }
}
