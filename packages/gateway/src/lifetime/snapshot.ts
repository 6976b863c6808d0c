import { createHash } from 'node:crypto'
import type { GatewayConfig } from '../config/config-schema.ts'
import { type LoadedConfig, type ToldWarning, toldWarnings } from '../config/warnings.ts'
import { createPipeline, type Pipeline } from '../line/pipeline.ts'
import { loadServerCertificate, type ServerCertificate } from '../listen/server-certificate.ts'
import type { Plugin, PluginContext } from '../plugin.ts'
import { licenseCheck } from '../plugins/license-check/license-check.ts'
import { otelAudit } from '../plugins/otel-audit/otel-audit.ts'
import { promptSanitize } from '../plugins/prompt-sanitize/prompt-sanitize.ts'
import { tenantInjector } from '../plugins/tenant-injector/tenant-injector.ts'
import { tokenValidator } from '../plugins/token-validator/token-validator.ts'
import { createUpstreamPools, type UpstreamPool, type UpstreamPools } from '../upstream/pools.ts'
import type { Shared } from '../upstream/shared.ts'
import { type ActiveExchanges, createActiveExchanges } from './active-exchanges.ts'
import { createRouter, type Router } from './router.ts'

/** Everything that follows from one configuration. A request keeps the snapshot it started with. */
export interface Snapshot {
  readonly config: GatewayConfig
  readonly warnings: readonly ToldWarning[]
  readonly loadedAt: Date
  readonly router: Router
  readonly pipeline: Pipeline
  readonly pools: UpstreamPools
  /** The certificate of the main listener, where it has one. */
  readonly certificate: ServerCertificate | undefined
  /** The requests that started with it and are not over. */
  readonly requests: ActiveExchanges
  /** Releases what it holds; safe to call again. */
  close(): Promise<void>
}

/** What a snapshot is made with, and what outlasts it. */
export interface SnapshotWorld extends Omit<PluginContext, 'configVersion'> {
  readonly pools: Shared<UpstreamPool>
}

/** Provisions a configuration; throws an `InitialisationError` when something in it cannot act, and leaves nothing open. */
export function createSnapshot(loaded: LoadedConfig, world: SnapshotWorld): Snapshot {
  const { config } = loaded
  const { routes, gateway } = config
  const warnings = toldWarnings(loaded)
  // Here and nowhere else, so that everyone who runs a gateway sees each of them, once for every configuration.
  for (const { id, text } of warnings) world.log.warn(text, { warning: id })
  const certificate = gateway.tls && loadServerCertificate(gateway.tls)
  const router = createRouter(routes.map((route) => ({ id: route.id, config: route })))
  const context = { ...world, configVersion: versionOf(config) }
  const pipeline = createPipeline(createPlugins(config, context), world.log)
  const pools = createPools(config, world, pipeline)
  return {
    config,
    warnings,
    loadedAt: new Date(),
    router,
    pipeline,
    pools,
    certificate,
    requests: createActiveExchanges('seatInSnapshot'),
    close: once(async () => {
      await pipeline.close()
      await pools.close()
    }),
  }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= run()
    return done
  }
}

function createPools({ routes, gateway }: GatewayConfig, world: SnapshotWorld, pipeline: Pipeline) {
  try {
    return createUpstreamPools(routes, gateway.limits, world.pools)
  } catch (error) {
    void pipeline.close()
    throw error
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
