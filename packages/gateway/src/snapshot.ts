import { createHash } from 'node:crypto'
import type { GatewayConfig } from './config/config-schema.ts'
import { warningsOf, warningText } from './config/warnings.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'
import type { Plugin, PluginContext } from './plugin.ts'
import { licenseCheck } from './plugins/license-check.ts'
import { otelAudit } from './plugins/otel-audit.ts'
import { promptSanitize } from './plugins/prompt-sanitize.ts'
import { tenantInjector } from './plugins/tenant-injector.ts'
import { tokenValidator } from './plugins/token-validator.ts'
import { createRouter, type Router } from './route.ts'
import { createUpstreamPools, type UpstreamPools } from './upstream/pools.ts'

/** Everything that follows from one configuration. A request keeps the snapshot it started with. */
export interface Snapshot {
  readonly config: GatewayConfig
  readonly router: Router
  readonly pipeline: Pipeline
  readonly pools: UpstreamPools
}

/** Provisions a configuration; throws an `InitialisationError` when something in it cannot act. */
export function createSnapshot(config: GatewayConfig, world: Omit<PluginContext, 'configVersion'>): Snapshot {
  const { routes, gateway } = config
  // Here and nowhere else, so that everyone who runs a gateway sees each of them, once for every configuration.
  for (const warning of warningsOf(config)) world.log.warn(warningText(warning), { warning: warning.id })
  return {
    config,
    router: createRouter(routes.map((route) => ({ id: route.id, config: route }))),
    pools: createUpstreamPools(routes, gateway.limits),
    pipeline: createPipeline(
      createPlugins(config, { ...world, configVersion: versionOf(config) }),
      world.log,
    ),
  }
}

function createPlugins({ plugins }: GatewayConfig, context: PluginContext): Plugin[] {
  const made: Plugin[] = []
  const factories = [
    () => tokenValidator(plugins['token-validator'], context),
    () => tenantInjector(plugins['tenant-injector'], context),
    () => licenseCheck(plugins['license-check'], context),
    () => promptSanitize(plugins['prompt-sanitize'], context),
    () => otelAudit(plugins['otel-audit'], context),
  ]
  try {
    for (const make of factories) made.push(make())
    return made
  } catch (error) {
    // What was made before has timers and connections: a start that fails must not keep the process alive.
    for (const plugin of made) void plugin.close?.()
    throw error
  }
}

function versionOf(config: GatewayConfig): string {
  return createHash('sha256').update(JSON.stringify(config)).digest('hex')
}
