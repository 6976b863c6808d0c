/** A configuration as plain data; YAML is a superset of JSON, so it passes through the real parser. */
export interface TestConfig {
  readonly gateway?: Record<string, unknown>
  readonly plugins?: Record<string, unknown>
  readonly upstreams?: Record<string, unknown>
  readonly mcp?: Record<string, unknown>
  readonly routes: readonly Record<string, unknown>[]
}

/** The text of a configuration, on a free port and in closed-network mode unless a test says otherwise. */
export function configText({ gateway = {}, plugins = {}, upstreams, mcp, routes }: TestConfig): string {
  return JSON.stringify({
    gateway: { port: 0, ...gateway },
    plugins: { ...closedNetwork(plugins), ...plugins },
    upstreams,
    mcp,
    routes,
  })
}

/** Without tokens, only the header names a tenant. */
function closedNetwork(plugins: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (plugins['token-validator'] !== undefined) return {}
  return { 'token-validator': { mode: 'off' }, 'tenant-injector': { trust_header: 'everyone' } }
}
