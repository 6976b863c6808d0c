import { type GatewayConfig, parseConfig } from '@agentic-rest/gateway'

/** What development adds to somebody's own gateway. */
interface Development {
  readonly issuer: string
  /** Taken where the file leaves the port open. */
  readonly port: number
}

/** A configuration that also accepts the tokens of the development identity provider, on a port that can be told. */
export function developmentConfig(config: GatewayConfig, { issuer, port }: Development): GatewayConfig {
  const { gateway, plugins } = config
  const validator = plugins['token-validator']
  const isThere = validator.issuers.some((each) => each.issuer === issuer) || validator.mode === 'off'
  const issuers = isThere ? validator.issuers : [...validator.issuers, ...issuersOf(issuer)]
  return {
    ...config,
    gateway: { ...gateway, port: gateway.port === 0 ? port : gateway.port },
    plugins: { ...plugins, 'token-validator': { ...validator, issuers } },
  }
}

/** Read from text like any other, so that it has every default that an issuer has. */
function issuersOf(issuer: string): GatewayConfig['plugins']['token-validator']['issuers'] {
  const rows = [{ issuer, audience: ['agentic'], algorithms: ['RS256'] }]
  const text = JSON.stringify({ gateway: {}, plugins: { 'token-validator': { issuers: rows } }, routes: [] })
  const parsed = parseConfig(text, { file: 'the development issuer', env: {} })
  if (!parsed.ok) throw new Error(`the development issuer ${issuer} cannot be used`)
  return parsed.config.plugins['token-validator'].issuers
}

const LOOPBACK = '127.0.0.1'

/**
 * A configuration with a console, whose page may call the gateway. It is for this machine alone, whatever the file says
 * for production: in development nobody is asked for a token.
 */
export function withConsole(config: GatewayConfig, port: number): GatewayConfig {
  const { gateway } = config
  const admin = { port, hosts: [], role: 'gateway:admin', ...gateway.admin, host: LOOPBACK }
  const own = { ...admin, port: admin.port === 0 ? port : admin.port }
  const origins = [LOOPBACK, 'localhost'].map((host) => `http://${host}:${own.port}`)
  const allowed = [...new Set([...(gateway.cors?.origins ?? []), ...origins])]
  return { ...config, gateway: { ...gateway, admin: own, cors: { origins: allowed } } }
}
