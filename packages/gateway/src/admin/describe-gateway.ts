import { PROFILE_VERSION } from '@agentic-rest/profile'
import type { AdminBody } from '@agentic-rest/profile/admin'
import type { GatewayConfig, PluginsConfig, RouteConfig } from '../config/config-schema.ts'
import type { ToldWarning } from '../config/warnings.ts'
import type { Identity } from '../exchange.ts'
import type { ReloadResult } from '../lifetime/reload.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import type { PipelinePlugin } from '../plugin.ts'
import { planOf } from '../plugins/plugin-set.ts'
import { displayName } from '../sessions/judge-token.ts'
import type { TargetGroup } from '../upstream/targets/target-group.ts'
import type { DevelopmentAccess } from './development-access.ts'
import { hideSecrets, type Reader } from './hide-secrets.ts'

/** The source of a gateway's description. */
export interface DescribedGateway {
  readonly config: GatewayConfig
  readonly warnings: readonly ToldWarning[]
  readonly version: string
  readonly file?: string | undefined
  readonly startedAt: Date
  readonly loadedAt: Date
  readonly lastReload: ReloadResult | undefined
  readonly gatewayUrl: string
  /** The caller; nobody in development. */
  readonly user: Identity | undefined
  readonly reader: Reader
  readonly development?: DevelopmentAccess | undefined
}

/** Version, start, configuration, and the people to act as in development. */
export async function describeGateway(described: DescribedGateway): Promise<AdminBody<'Gateway'>> {
  const { config, warnings, version, file, startedAt, loadedAt, gatewayUrl, user, development } = described
  return {
    version,
    profile: PROFILE_VERSION,
    startedAt: startedAt.toISOString(),
    gatewayUrl,
    development: development !== undefined,
    people: await peopleOf(development),
    user: user === undefined ? null : { subject: user.subject, name: displayName(user) },
    signIn: development === undefined && config.gateway.sign_in !== undefined,
    streamLimit: config.gateway.llm.max_sse_connections_per_tenant,
    configuration: {
      file: file ?? null,
      loadedAt: loadedAt.toISOString(),
      warnings: warnings.map(({ text }) => text),
      lastReload: describeReload(described),
    },
  }
}

/** Faults quote the file, addresses and rules included. */
function describeReload({ lastReload, reader }: DescribedGateway): ReloadResult | null {
  if (lastReload === undefined) return null
  if (reader === 'operator' || lastReload.faults.length === 0) return lastReload
  return { ...lastReload, faults: ['only operators see the faults'] }
}

/** The console works without the identity provider. */
async function peopleOf(development: DevelopmentAccess | undefined) {
  if (development === undefined) return []
  return await development.people().catch(() => [])
}

/** Routes with each plugin's plan for them, plugins in order, and services; without secrets. */
export function describeRoutes(
  { config, plugins, pools, mcp }: Pick<Snapshot, 'config' | 'plugins' | 'pools' | 'mcp'>,
  reader: Reader,
): AdminBody<'Routes'> {
  const { routes, gateway } = config
  const tools = mcp?.routeTools()
  const upstream = { name: 'upstream', configured: true, configuration: { ...gateway.limits } }
  const describePlugin = (plugin: PipelinePlugin) => ({
    name: plugin.name,
    configured: routes.some((route) => planOf(plugin, route).runs),
    configuration: sectionOf(plugin.name, config.plugins, reader),
  })
  return {
    routes: routes.map((route) => ({
      ...describeRoute(route, plugins, reader),
      tool: tools?.get(route.id) ?? null,
    })),
    plugins: [...plugins.map(describePlugin), upstream],
    services: describeServices(config),
    upstreams: pools.groups.map((group) => describeUpstream(group, reader)),
  }
}

type Section = Readonly<Record<string, unknown>>

function sectionOf(name: string, { custom = [], ...sections }: PluginsConfig, reader: Reader): Section {
  const entry = custom.find((each) => each.name === name)
  if (entry === undefined)
    return hideSecrets((sections as Readonly<Record<string, Section>>)[name] ?? {}, ['plugins', name], {
      reader,
    })
  const { after, token, options } = entry
  return hideSecrets({ after, token, options }, ['plugins', 'custom', 0], { reader })
}

/** The place of a target in the configuration. */
const TARGET = ['routes', 0, 'target']

function describeRoute(route: RouteConfig, plugins: readonly PipelinePlugin[], reader: Reader) {
  const { id, method, path, mode, executionTimeoutSeconds, roles, scopes, conformance } = route
  return {
    id,
    method,
    path,
    target: route.target === undefined ? null : hideSecrets(route.target, TARGET, { reader }),
    upstream: route.upstream ?? null,
    mode,
    executionTimeoutSeconds,
    roles,
    scopes,
    allow: route.allow ?? null,
    license: route.license ?? null,
    conformance,
    plugins: [...plugins.map((plugin) => describePlan(plugin, route)), upstreamPlan(route)],
  }
}

function describePlan(plugin: PipelinePlugin, route: RouteConfig) {
  const { name, runs, why } = planOf(plugin, route)
  return { name, runs, because: why }
}

function upstreamPlan({ target, upstream }: RouteConfig) {
  const place = target === undefined ? `a target of ${upstream}` : new URL(target).origin
  return { name: 'upstream', runs: true, because: `the request goes to ${place}` }
}

/** The targets of an upstream with their state in this process. */
function describeUpstream({ name, states, isStale }: TargetGroup, reader: Reader) {
  return {
    name,
    resolved: !isStale,
    targets: states.map(({ number, url, weight, condition, active }) => ({
      number,
      url: hideSecrets(url, TARGET, { reader }),
      weight,
      state: condition,
      active,
    })),
  }
}

/** The origins that routes lead to; listed targets of an upstream are services too. */
function describeServices({ routes, upstreams }: GatewayConfig) {
  const leading = routes.flatMap((route) =>
    addressesOf(route, upstreams).map((address) => ({ route, address })),
  )
  const byOrigin = Map.groupBy(leading, ({ address }) => new URL(address).origin)
  return [...byOrigin].map(([origin, own]) => ({ origin, routes: own.map(({ route }) => route.id) }))
}

function addressesOf(
  { target, upstream = '' }: RouteConfig,
  upstreams: GatewayConfig['upstreams'],
): readonly string[] {
  return target === undefined ? (upstreams[upstream]?.targets ?? []).map(({ url }) => url) : [target]
}
