/** Changes to the configuration of a closed network with one route. */
export interface Changes {
  readonly gateway?: Readonly<Record<string, unknown>>
  readonly plugins?: Readonly<Record<string, unknown>>
  readonly target?: string
}

/** A small configuration on a free port. YAML is a superset of JSON, so it passes through the real parser. */
export function configuration({
  gateway = {},
  plugins = {},
  target = 'http://127.0.0.1:9',
}: Changes = {}): string {
  return JSON.stringify({
    gateway: { port: 0, ...gateway },
    plugins: { ...closedNetwork(plugins), ...plugins },
    routes: [{ id: 'read-item', method: 'GET', path: '/items/{itemId}', target }],
  })
}

/** Without tokens, only the header names a tenant. */
export function closedNetwork(plugins: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (plugins['token-validator'] !== undefined) return {}
  return { 'token-validator': { mode: 'off' }, 'tenant-injector': { trust_header: 'everyone' } }
}
