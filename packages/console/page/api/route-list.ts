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
  readonly target: string
  readonly mode: string
  readonly executionTimeoutSeconds: number
  readonly roles: readonly string[]
  readonly license: string | null
  readonly conformance: string
  readonly plugins: readonly RoutePlugin[]
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

/** The routes, plugins and upstreams of the gateway. */
export interface RouteList {
  readonly routes: readonly Route[]
  readonly plugins: readonly PluginInfo[]
  readonly services: readonly ServiceInfo[]
}

/** Reads the answer of `/api/routes`. */
export function readRouteList(value: unknown): RouteList {
  const fields = fieldsOf(value)
  return {
    routes: listOf(fields, 'routes', readRoute),
    plugins: listOf(fields, 'plugins', readPlugin),
    services: listOf(fields, 'services', readService),
  }
}

function readRoute(value: unknown): Route {
  const fields = fieldsOf(value)
  return {
    id: textOf(fields, 'id'),
    method: textOf(fields, 'method'),
    path: textOf(fields, 'path'),
    target: textOf(fields, 'target'),
    mode: textOf(fields, 'mode', 'json'),
    executionTimeoutSeconds: numberOf(fields, 'executionTimeoutSeconds'),
    roles: textsOf(fields, 'roles'),
    license: textOrNull(fields, 'license'),
    conformance: textOf(fields, 'conformance'),
    plugins: listOf(fields, 'plugins', readRoutePlugin),
  }
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
