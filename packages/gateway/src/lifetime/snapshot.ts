import { createHash } from 'node:crypto'
import type { GatewayConfig } from '../config/config-schema.ts'
import { type LoadedConfig, type ToldWarning, toldWarnings } from '../config/warnings.ts'
import { loadServerCertificate, type ServerCertificate } from '../listen/server-certificate.ts'
import type { Plugin } from '../plugin.ts'
import { createPlugins, type PluginWorld } from '../plugins/plugin-set.ts'
import { createUpstreamPools, type UpstreamPool, type UpstreamPools } from '../upstream/pools.ts'
import type { Shared } from '../upstream/shared-resources.ts'
import { type ActiveExchanges, createActiveExchanges } from './active-exchanges.ts'
import { createRouter, type Router } from './router.ts'

/** Everything that follows from one configuration. A request keeps the snapshot it started with. */
export interface Snapshot {
  readonly config: GatewayConfig
  readonly warnings: readonly ToldWarning[]
  readonly loadedAt: Date
  readonly router: Router
  /** The plugins, in the order in which a request passes them. */
  readonly plugins: readonly Plugin[]
  readonly pools: UpstreamPools
  /** The certificate of the main listener, where it has one. */
  readonly certificate: ServerCertificate | undefined
  /** The requests that started with it and are not over. */
  readonly requests: ActiveExchanges
  /** Resolves when every plugin has its resources, or knows that they are not available. */
  warm(): Promise<void>
  /** Releases what it holds; safe to call again. */
  close(): Promise<void>
}

/** What a snapshot is made with, and what outlasts it. */
export interface SnapshotWorld extends Omit<PluginWorld, 'configVersion'> {
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
  const router = createRouter(routes)
  const plugins = createPlugins(config.plugins, { ...world, configVersion: versionOf(config) })
  const pools = createPools(config, world, plugins)
  return {
    config,
    warnings,
    loadedAt: new Date(),
    router,
    plugins,
    pools,
    certificate,
    requests: createActiveExchanges('positionInSnapshot'),
    async warm() {
      await Promise.allSettled(plugins.map((plugin) => plugin.warm?.()))
    },
    close: once(async () => {
      await closePlugins(plugins)
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

async function closePlugins(plugins: readonly Plugin[]): Promise<void> {
  await Promise.allSettled(plugins.map((plugin) => plugin.close?.()))
}

function createPools({ routes, gateway }: GatewayConfig, world: SnapshotWorld, plugins: readonly Plugin[]) {
  try {
    return createUpstreamPools(routes, gateway.limits, world.pools)
  } catch (error) {
    void closePlugins(plugins)
    throw error
  }
}

function versionOf(config: GatewayConfig): string {
  return createHash('sha256').update(JSON.stringify(config)).digest('hex')
}
