import { stringify } from 'yaml'
import type { Issuer } from '../tokens.ts'
import { upstreamPaths } from '../upstream.ts'

/** The measured configuration of the gateway. */
export interface GatewaySetting {
  /** Token and tenant checks only, or work for every plugin. */
  readonly plugins: 'token' | 'all'
  /** Additional routes without requests. */
  readonly extraRoutes?: number
  readonly issuers: readonly Issuer[]
  /** Further keys of the section `gateway`. */
  readonly gateway?: Readonly<Record<string, unknown>>
}

/** The configuration of the measured gateway. */
export function gatewayConfig(
  { plugins, extraRoutes = 0, issuers, gateway = {} }: GatewaySetting,
  { port, upstreamPort }: { readonly port: number; readonly upstreamPort: number },
): string {
  const target = `http://127.0.0.1:${upstreamPort}`
  const rest = { target, executionTimeoutSeconds: 30, conformance: 'enforce' }
  const license = plugins === 'all' ? { license: 'items', roles: ['item:read'] } : {}
  const extra = Array.from({ length: extraRoutes }, (_, index) => ({
    id: `extra-${index}`,
    method: 'GET',
    path: `/collection-${index}/{itemId}/parts/{partId}`,
    ...rest,
  }))
  return stringify({
    gateway: { host: '127.0.0.1', port, ...gateway },
    plugins: { 'token-validator': { issuers: issuers.map(issuerSection) }, ...pluginSections(plugins) },
    routes: [
      { id: 'read-item', method: 'GET', path: '/items/{itemId}', ...rest, ...license },
      { id: 'create-item', method: 'POST', path: upstreamPaths.created, ...rest, ...license },
      { id: 'ask', method: 'POST', path: upstreamPaths.question, ...rest, ...license },
      { id: 'large', method: 'POST', path: upstreamPaths.large, ...rest, ...license, conformance: 'off' },
      { id: 'events', method: 'GET', path: '/events', ...rest, mode: 'sse', executionTimeoutSeconds: 0 },
      ...extra,
    ],
  })
}

function issuerSection({ issuer, jwksFile }: Issuer) {
  return { issuer, jwks_file: jwksFile, audience: ['agentic'], algorithms: ['RS256'] }
}

function pluginSections(plugins: GatewaySetting['plugins']) {
  if (plugins === 'token') return { 'otel-audit': { enabled: false } }
  return {
    'license-check': { tenants: { acme: { features: ['items'] } } },
    'prompt-sanitize': {
      rules: [
        { name: 'email', builtin: 'email' },
        { name: 'jailbreak', keywords: ['ignore previous instructions'], action: 'reject' },
      ],
    },
    'otel-audit': { exporter: 'stdout' },
  }
}
