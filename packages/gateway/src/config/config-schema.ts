import type { z } from 'zod'
import { list, section } from './schema/field-kinds.ts'
import { gatewaySection } from './schema/gateway-section.ts'
import { mcpSection } from './schema/mcp-section.ts'
import { pluginsSection } from './schema/plugin-sections.ts'
import { routeSection } from './schema/route-section.ts'
import { upstreamsSection } from './schema/upstream-section.ts'

/** The whole configuration file: the one source of its keys, types, defaults and descriptions. */
export const configSchema = section({
  gateway: gatewaySection.prefault({}).describe('Listeners, limits and shutdown.'),
  plugins: pluginsSection.describe('Options of the five plugins, and plugins of your own.'),
  upstreams: upstreamsSection.prefault({}).describe('Services with several targets, by name.'),
  mcp: mcpSection
    .optional()
    .describe('Endpoint for MCP clients, with routes that have the key mcp as tools; absent means off.'),
  routes: list(routeSection).describe('What is forwarded where.'),
}).describe('Configuration of the Agentic REST gateway.')

/** A type with all its properties read-only, at every depth. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T

/** The validated configuration, defaults filled in. */
export type GatewayConfig = Immutable<z.output<typeof configSchema>>
/** The `gateway` section. */
export type GatewaySection = GatewayConfig['gateway']
/** The section `gateway.sign_in`. */
export type SignInSection = NonNullable<GatewaySection['sign_in']>
/** The bounds under `gateway.limits`. */
export type LimitOptions = GatewaySection['limits']
/** One policy of `gateway.rate_limits`. */
export type RateLimitOptions = GatewaySection['rate_limits'][number]
/** One price of `gateway.prices.models`. */
export type PriceOptions = GatewaySection['prices']['models'][number]
/** The `plugins` section. */
export type PluginsConfig = GatewayConfig['plugins']
/** Options of token-validator. */
export type TokenValidatorOptions = PluginsConfig['token-validator']
/** One issuer of token-validator. */
export type IssuerOptions = TokenValidatorOptions['issuers'][number]
/** Options of tenant-injector. */
export type TenantInjectorOptions = PluginsConfig['tenant-injector']
/** Options of license-check. */
export type LicenseCheckOptions = PluginsConfig['license-check']
/** Options of a webhook, the same for tenants and licences. */
export type WebhookOptions = NonNullable<TenantInjectorOptions['webhook']>
/** Options of prompt-sanitize. */
export type PromptSanitizeOptions = PluginsConfig['prompt-sanitize']
/** One rule of prompt-sanitize. */
export type SanitizeRule = PromptSanitizeOptions['rules'][number]
/** The name of a built-in rule, as a rule's `builtin` spells it. */
export type BuiltinRule = NonNullable<SanitizeRule['builtin']>
/** Options of otel-audit. */
export type OtelAuditOptions = PluginsConfig['otel-audit']
/** One mapped attribute of otel-audit. */
export type AuditAttribute = OtelAuditOptions['attributes'][number]
/** One entry of `plugins.custom`. */
export type CustomPluginOptions = NonNullable<PluginsConfig['custom']>[number]
/** The `mcp` section. */
export type McpSection = NonNullable<GatewayConfig['mcp']>
/** One route. */
export type RouteConfig = GatewayConfig['routes'][number]
/** Options of a route's idempotency keys. */
export type IdempotencyOptions = NonNullable<RouteConfig['idempotency']>
/** One entry of `upstreams`. */
export type UpstreamConfig = GatewayConfig['upstreams'][string]
/** A target of an upstream, with its weight. */
export type ListedTarget = NonNullable<UpstreamConfig['targets']>[number]
