import type { AdminReading } from '@agentic-rest/profile/admin'

/** Information about the gateway. */
export type GatewayInfo = AdminReading<'Gateway'>
/** A person of the development identity provider. */
export type Person = AdminReading<'Person'>
/** The routes, plugins and upstreams of the gateway. */
export type RouteList = AdminReading<'Routes'>
/** A route of the gateway. */
export type Route = AdminReading<'Route'>
/** A plugin with its configuration, without secrets. */
export type PluginInfo = RouteList['plugins'][number]
/** A service with several targets. */
export type UpstreamInfo = AdminReading<'Upstream'>
/** The requests of one second. */
export type Summary = AdminReading<'Summary'>
/** A header that the gateway keeps; secrets are `[hidden]`. */
export type KeptHeader = AdminReading<'KeptHeader'>
/** The limits of the gateway and the usage of tenants. */
export type Usage = AdminReading<'Usage'>
/** A limit of the configuration. */
export type UsagePolicy = AdminReading<'UsagePolicy'>
/** The usage of a tenant, today and this month in UTC, and the state of its limits. */
export type TenantUsage = AdminReading<'TenantUsage'>
