import { createHash } from 'node:crypto'
import type { GatewayConfig } from './config/config-schema.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'
import type { PluginContext } from './plugin.ts'
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
  const context = { ...world, configVersion: versionOf(config) }
  const { plugins, routes, gateway } = config
  return {
    config,
    router: createRouter(routes.map((route) => ({ id: route.id, config: route }))),
    pools: createUpstreamPools(routes, gateway.limits),
    pipeline: createPipeline(
      [
        tokenValidator(plugins['token-validator'], context),
        tenantInjector(plugins['tenant-injector'], context),
        licenseCheck(plugins['license-check'], context),
        promptSanitize(plugins['prompt-sanitize'], context),
        otelAudit(plugins['otel-audit'], context),
      ],
      world.log,
    ),
  }
}

function versionOf(config: GatewayConfig): string {
  return createHash('sha256').update(JSON.stringify(config)).digest('hex')
}
