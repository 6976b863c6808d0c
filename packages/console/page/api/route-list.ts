import { fieldsOf, isTrue, listOf, numberOf, textOf, textOrNull, textsOf } from './read-json.ts'

/** A plugin of a route's pipeline, and whether it runs there. */
export interface RoutePlugin {
  readonly name: string
  readonly runs: boolean
  readonly because: string
}

/** A route of the gateway. */
export interface Route {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Empty for a route with an upstream. */
  readonly target: string
  /** The name of its upstream. */
  readonly upstream: string | null
  readonly mode: string
  readonly executionTimeoutSeconds: number
  readonly roles: readonly string[]
  readonly license: string | null
  readonly conformance: string
  readonly plugins: readonly RoutePlugin[]
  /** The tool for MCP clients; null for a route that is none. */
  readonly tool: RouteTool | null
}

/** The tool of a route. */
export interface RouteTool {
  readonly name: string
  /** Why clients do not see it at the moment; both empty for one that they see. */
  readonly fault: string
  readonly why: string
}

/** A plugin with its configuration, without secrets. */
export interface PluginInfo {
  readonly name: string
  readonly configured: boolean
  readonly configuration: unknown
}

/** An origin behind the gateway. */
export interface ServiceInfo {
  readonly origin: string
  readonly routes: readonly string[]
}

/** A target of an upstream with its state. */
export interface TargetInfo {
  /** Its name in metrics. */
  readonly number: string
  readonly url: string
  readonly weight: number
  readonly state: string
  /** Requests in progress. */
  readonly active: number
}

/** A service with several targets. */
export interface UpstreamInfo {
  readonly name: string
  /** False while its DNS name cannot be resolved. */
  readonly resolved: boolean
  readonly targets: readonly TargetInfo[]
}

/** The routes, plugins and upstreams of the gateway. */
export interface RouteList {
  readonly routes: readonly Route[]
  readonly plugins: readonly PluginInfo[]
  readonly services: readonly ServiceInfo[]
  readonly upstreams: readonly UpstreamInfo[]
}

/** Reads the answer of `/api/routes`. */
export function readRouteList(value: unknown): RouteList {
  const fields = fieldsOf(value)
  return {
    routes: listOf(fields, 'routes', readRoute),
    plugins: listOf(fields, 'plugins', readPlugin),
    services: listOf(fields, 'services', readService),
    upstreams: listOf(fields, 'upstreams', readUpstream),
  }
}

function readRoute(value: unknown): Route {
  const fields = fieldsOf(value)
  return {
    id: textOf(fields, 'id'),
    method: textOf(fields, 'method'),
    path: textOf(fields, 'path'),
    target: textOf(fields, 'target'),
    upstream: textOrNull(fields, 'upstream'),
    mode: textOf(fields, 'mode', 'json'),
    executionTimeoutSeconds: numberOf(fields, 'executionTimeoutSeconds'),
    roles: textsOf(fields, 'roles'),
    license: textOrNull(fields, 'license'),
    conformance: textOf(fields, 'conformance'),
    plugins: listOf(fields, 'plugins', readRoutePlugin),
    tool: readTool(fields.get('tool')),
  }
}

function readTool(value: unknown): RouteTool | null {
  const fields = fieldsOf(value)
  const name = textOf(fields, 'name')
  return name === '' ? null : { name, fault: textOf(fields, 'fault'), why: textOf(fields, 'why') }
}

function readRoutePlugin(value: unknown): RoutePlugin {
  const fields = fieldsOf(value)
  return { name: textOf(fields, 'name'), runs: isTrue(fields, 'runs'), because: textOf(fields, 'because') }
}

function readPlugin(value: unknown): PluginInfo {
  const fields = fieldsOf(value)
  return {
    name: textOf(fields, 'name'),
    configured: isTrue(fields, 'configured'),
    configuration: fields.get('configuration') ?? {},
  }
}

function readService(value: unknown): ServiceInfo {
  const fields = fieldsOf(value)
  return { origin: textOf(fields, 'origin'), routes: textsOf(fields, 'routes') }
}

function readUpstream(value: unknown): UpstreamInfo {
  const fields = fieldsOf(value)
  return {
    name: textOf(fields, 'name'),
    resolved: isTrue(fields, 'resolved'),
    targets: listOf(fields, 'targets', readTarget),
  }
}

function readTarget(value: unknown): TargetInfo {
  const fields = fieldsOf(value)
  return {
    number: textOf(fields, 'number'),
    url: textOf(fields, 'url'),
    weight: numberOf(fields, 'weight'),
    state: textOf(fields, 'state'),
    active: numberOf(fields, 'active'),
  }
}
