import { type GatewayConfig, parseConfig } from '@agentic-rest/gateway'

/** Additions to the user's gateway in development. */
interface Development {
  readonly issuer: string
  /** The port if the file has port 0. */
  readonly port: number
}

/** Adds the development identity provider and a known port to a configuration. */
export function developmentConfig(config: GatewayConfig, { issuer, port }: Development): GatewayConfig {
  const { plugins } = config
  const opened = { ...config.gateway, port: config.gateway.port === 0 ? port : config.gateway.port }
  const gateway = withSignIn(opened, issuer, plugins['token-validator'].mode)
  const validator = plugins['token-validator']
  const resource = mcpResource({ ...config, gateway })
  const isThere = validator.issuers.some((each) => each.issuer === issuer) || validator.mode === 'off'
  const issuers = isThere ? validator.issuers : [...validator.issuers, ...issuersOf(issuer, resource)]
  return {
    ...config,
    gateway,
    plugins: { ...plugins, 'token-validator': { ...validator, issuers } },
  }
}

/** Lets people sign in at the development identity provider where the file has the approval page and no sign-in. */
function withSignIn(
  gateway: GatewayConfig['gateway'],
  issuer: string,
  mode: 'on' | 'off',
): GatewayConfig['gateway'] {
  const { approvals_page, sign_in, host, tls } = gateway
  const isLocal = ['127.0.0.1', 'localhost', '::1'].includes(host) && tls === undefined
  if (approvals_page === undefined || sign_in !== undefined || !isLocal || mode === 'off') return gateway
  const own = { issuer, client_id: 'agentic-gateway', scopes: ['openid', 'profile'], session_hours: 8 }
  return { ...gateway, sign_in: { ...own, ...approvals_page } }
}

/** The audience of tokens for the MCP endpoint of a configuration; undefined without such an endpoint. */
export function mcpResource({ gateway, mcp }: GatewayConfig): string | undefined {
  if (mcp === undefined || mcp.public_url !== undefined) return mcp?.public_url
  const host = gateway.host.includes(':') ? `[${gateway.host}]` : gateway.host
  return `${gateway.tls === undefined ? 'http' : 'https'}://${host}:${gateway.port}${mcp.path}`
}

/** Sets the secret of the state that MCP clients carry, unless the file has its own. */
export function withStateSecret(config: GatewayConfig, secret: string): GatewayConfig {
  const { mcp } = config
  const isGiven = mcp?.state_secrets !== undefined || mcp?.state_secrets_files !== undefined
  return mcp === undefined || isGiven ? config : { ...config, mcp: { ...mcp, state_secrets: [secret] } }
}

type Issuers = GatewayConfig['plugins']['token-validator']['issuers']

/** Parsed from text, so that the issuer has all defaults. */
function issuersOf(issuer: string, resource: string | undefined): Issuers {
  const audience = resource === undefined ? ['agentic'] : ['agentic', resource]
  const rows = [{ issuer, audience, algorithms: ['RS256'] }]
  const text = JSON.stringify({ gateway: {}, plugins: { 'token-validator': { issuers: rows } }, routes: [] })
  const parsed = parseConfig(text, { file: 'the development issuer', env: {} })
  if (!parsed.ok) throw new Error(`the development issuer ${issuer} cannot be used`)
  return parsed.config.plugins['token-validator'].issuers
}

const LOOPBACK = '127.0.0.1'

/**
 * Adds the console to a configuration and lets its page call the gateway. It listens on this machine only, because
 * development needs no token.
 */
export function withConsole(config: GatewayConfig, port: number): GatewayConfig {
  const { gateway } = config
  const admin = { port, hosts: [], role: 'gateway:admin', ...gateway.admin, host: LOOPBACK }
  const own = { ...admin, port: admin.port === 0 ? port : admin.port }
  const origins = [LOOPBACK, 'localhost'].map((host) => `http://${host}:${own.port}`)
  const allowed = [...new Set([...(gateway.cors?.origins ?? []), ...origins])]
  return { ...config, gateway: { ...gateway, admin: own, cors: { origins: allowed } } }
}
