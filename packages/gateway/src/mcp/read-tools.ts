import type { CatalogueTool, ToolDefinition } from '@agentic-rest/mcp'
import type { GatewayConfig } from '../config/config-schema.ts'
import { silentLog } from '../log.ts'
import { createUpstreamPools } from '../upstream/pools.ts'
import { createShared } from '../upstream/shared-resources.ts'
import { createSharedGroups } from '../upstream/targets/create-group.ts'
import type { UpstreamPool } from '../upstream/upstream-pool.ts'
import { hasStatusRoute, readDocument, toolRoutes } from './tool-routes.ts'

/** The tools of a configuration, as clients with all rights would see them. */
export interface ToolListing {
  /** In the order of `tools/list`. */
  readonly tools: readonly ToolDefinition[]
  /** Facts about the tools of routes. */
  readonly routes: readonly ListedRoute[]
  /** Routes that would be no tool, and why. */
  readonly missing: readonly MissingTool[]
}

/** The tool of a route. */
export interface ListedRoute {
  readonly route: string
  readonly tool: string
  readonly isIdempotent: boolean
}

/** A route that would be no tool. */
export interface MissingTool {
  readonly route: string
  readonly code: string
  readonly message: string
}

const UNUSED_SECONDS = 86_400

/**
 * Reads the documents of the services as a gateway would, without starting one. Throws an `InitialisationError` for a
 * certificate or a schema file that cannot be used.
 */
export async function readTools(config: GatewayConfig): Promise<ToolListing> {
  const routes = toolRoutes(config)
  const { createCatalogue, listedTools, systemEnvironment } = await import('@agentic-rest/mcp')
  const pools = createUpstreamPools(config, {
    pools: createShared<UpstreamPool>(),
    sharedGroups: createSharedGroups(),
    metrics: { targetCounter: () => ignore, targetEjected: ignore },
    log: silentLog,
  })
  await pools.warm()
  const catalogue = createCatalogue({
    routes,
    environment: systemEnvironment,
    refreshSeconds: UNUSED_SECONDS,
    load: (service) => readDocument(service, { config, pools }),
    onChange: ignore,
  })
  await catalogue.ready
  catalogue.close()
  await pools.close()
  const byId = new Map(config.routes.map((route) => [route.id, route]))
  return {
    tools: listedTools(catalogue.tools, ({ route }) => hasStatusRoute(config, byId.get(route.id))),
    routes: catalogue.tools.map(listed),
    missing: catalogue.faults.map(({ routeId, fault }) => ({ route: routeId, ...fault })),
  }
}

function listed({ route, definition, isIdempotent }: CatalogueTool): ListedRoute {
  return { route: route.id, tool: definition.name, isIdempotent }
}

function ignore(): void {}
