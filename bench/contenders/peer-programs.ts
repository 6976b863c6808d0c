import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Issuer } from '../tokens.ts'
import { nginxConfig } from '../upstream.ts'

/** The setting of one peer. */
export interface PeerSetting {
  /** A folder of its own. */
  readonly folder: string
  readonly port: number
  readonly upstreamPort: number
  readonly issuer: Pick<Issuer, 'issuer' | 'jwksFile'>
}

/** Another gateway, run if it is on the PATH. */
export interface Peer {
  /** The name of its program. */
  readonly program: string
  readonly versionArguments: readonly string[]
  /** Whether it validates the token: signature, issuer, audience and expiry. */
  readonly checksToken: boolean
  /** The settings beside the proxy itself, for the table. */
  readonly settings: string
  /** The files in its folder, by name. */
  readonly files: (setting: PeerSetting) => Readonly<Record<string, string>>
  readonly arguments: (setting: PeerSetting) => readonly string[]
}

const AUDIENCE = 'agentic'
const IDLE_CONNECTIONS = 512

/** All peers. The Go programs find one core by their affinity. */
export const peers: readonly Peer[] = [
  {
    program: 'nginx',
    versionArguments: ['-v'],
    checksToken: false,
    settings: 'one process, no token check (not in its open source)',
    files: (setting) => ({
      'nginx.conf': nginxConfig({ folder: setting.folder, server: nginxServer(setting) }),
    }),
    arguments: ({ folder }) => [
      '-p',
      folder,
      '-c',
      join(folder, 'nginx.conf'),
      '-e',
      join(folder, 'errors.log'),
    ],
  },
  {
    program: 'haproxy',
    versionArguments: ['-v'],
    checksToken: true,
    settings: '`nbthread 1`, `http-reuse always`, `jwt_verify` for every request',
    files: (setting) => ({ 'haproxy.cfg': haproxyConfig(setting), 'key.pem': publicPem(setting.issuer) }),
    arguments: ({ folder }) => ['-db', '-f', join(folder, 'haproxy.cfg')],
  },
  {
    program: 'envoy',
    versionArguments: ['--version'],
    checksToken: true,
    settings: '`--concurrency 1`, `jwt_authn` with `local_jwks` and `jwt_cache_config`',
    files: (setting) => ({ 'envoy.json': JSON.stringify(envoyConfig(setting), null, 2) }),
    arguments: ({ folder }) => [
      '--config-path',
      join(folder, 'envoy.json'),
      '--concurrency',
      '1',
      '--disable-hot-restart',
      '--log-level',
      'error',
    ],
  },
  {
    program: 'krakend',
    versionArguments: ['version'],
    checksToken: true,
    settings: '`auth/validator` with `jwk_local_path`, `no-op` encoding',
    files: (setting) => ({ 'krakend.json': JSON.stringify(krakendConfig(setting), null, 2) }),
    arguments: ({ folder }) => ['run', '-c', join(folder, 'krakend.json')],
  },
  {
    program: 'traefik',
    versionArguments: ['version'],
    checksToken: false,
    settings: 'file provider, no token check (not in its open source)',
    files: (setting) => ({ 'routes.json': JSON.stringify(traefikRoutes(setting), null, 2) }),
    arguments: ({ folder, port }) => [
      `--entryPoints.in.address=127.0.0.1:${port}`,
      `--providers.file.filename=${join(folder, 'routes.json')}`,
      `--serversTransport.maxIdleConnsPerHost=${IDLE_CONNECTIONS}`,
      '--log.level=ERROR',
      '--global.checkNewVersion=false',
      '--global.sendAnonymousUsage=false',
    ],
  },
  {
    program: 'caddy',
    versionArguments: ['version'],
    checksToken: false,
    settings: '`reverse_proxy`, no token check (needs a third-party module)',
    files: (setting) => ({ Caddyfile: caddyfile(setting) }),
    arguments: ({ folder }) => ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')],
  },
]

function nginxServer({ port, upstreamPort }: PeerSetting): string {
  return `  upstream service { server 127.0.0.1:${upstreamPort}; keepalive ${IDLE_CONNECTIONS}; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }`
}

function publicPem({ jwksFile }: PeerSetting['issuer']): string {
  const { keys } = JSON.parse(readFileSync(jwksFile, 'utf8'))
  return createPublicKey({ key: keys[0], format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString()
}

function haproxyConfig({ folder, port, upstreamPort, issuer }: PeerSetting): string {
  return `global
  nbthread 1
  maxconn 4000
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend in
  bind 127.0.0.1:${port}
  http-request set-var(txn.alg) http_auth_bearer,jwt_header_query('$.alg')
  http-request set-var(txn.iss) http_auth_bearer,jwt_payload_query('$.iss')
  http-request set-var(txn.aud) http_auth_bearer,jwt_payload_query('$.aud')
  http-request set-var(txn.exp) http_auth_bearer,jwt_payload_query('$.exp','int')
  http-request set-var(txn.now) date()
  http-request deny deny_status 401 unless { var(txn.alg) -m str RS256 }
  http-request deny deny_status 401 unless { var(txn.iss) -m str ${issuer.issuer} }
  http-request deny deny_status 401 unless { var(txn.aud) -m str ${AUDIENCE} }
  http-request deny deny_status 401 if { var(txn.exp),sub(txn.now) -m int lt 0 }
  http-request deny deny_status 401 unless { http_auth_bearer,jwt_verify(txn.alg,"${join(folder, 'key.pem')}") -m int 1 }
  default_backend service
backend service
  http-reuse always
  server service 127.0.0.1:${upstreamPort}
`
}

const typed = (name: string, rest: object = {}) => ({
  '@type': `type.googleapis.com/envoy.extensions.${name}`,
  ...rest,
})
const address = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } })

function envoyConfig({ port, upstreamPort, issuer: { issuer, jwksFile } }: PeerSetting): object {
  const provider = {
    issuer,
    audiences: [AUDIENCE],
    local_jwks: { filename: jwksFile },
    forward: true,
    jwt_cache_config: { jwt_cache_size: 1000 },
  }
  const jwt = typed('filters.http.jwt_authn.v3.JwtAuthentication', {
    providers: { bench: provider },
    rules: [{ match: { prefix: '/' }, requires: { provider_name: 'bench' } }],
  })
  const routes = [{ match: { prefix: '/' }, route: { cluster: 'service' } }]
  const manager = typed('filters.network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: 'in',
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
    http_filters: [
      { name: 'envoy.filters.http.jwt_authn', typed_config: jwt },
      { name: 'envoy.filters.http.router', typed_config: typed('filters.http.router.v3.Router') },
    ],
  })
  const filters = [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }]
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: address(upstreamPort) } }] }]
  return {
    static_resources: {
      listeners: [{ name: 'in', address: address(port), filter_chains: [{ filters }] }],
      clusters: [
        {
          name: 'service',
          type: 'STATIC',
          connect_timeout: '5s',
          load_assignment: { cluster_name: 'service', endpoints },
        },
      ],
    },
  }
}

function krakendConfig({ port, upstreamPort, issuer: { issuer, jwksFile } }: PeerSetting): object {
  const validator = {
    alg: 'RS256',
    issuer,
    audience: [AUDIENCE],
    jwk_local_path: jwksFile,
    disable_jwk_security: true,
  }
  const endpoint = (method: string, path: string) => ({
    endpoint: path,
    method,
    output_encoding: 'no-op',
    input_headers: ['*'],
    backend: [{ url_pattern: path, method, encoding: 'no-op', host: [`http://127.0.0.1:${upstreamPort}`] }],
    extra_config: { 'auth/validator': validator },
  })
  return {
    version: 3,
    port,
    max_idle_connections_per_host: IDLE_CONNECTIONS,
    endpoints: [endpoint('GET', '/items/{itemId}'), endpoint('POST', '/items')],
  }
}

function traefikRoutes({ upstreamPort }: PeerSetting): object {
  return {
    http: {
      routers: { all: { rule: 'PathPrefix(`/`)', service: 'service' } },
      services: { service: { loadBalancer: { servers: [{ url: `http://127.0.0.1:${upstreamPort}` }] } } },
    },
  }
}

function caddyfile({ port, upstreamPort }: PeerSetting): string {
  return `{
  admin off
  auto_https off
  persist_config off
  log {
    level ERROR
  }
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:${upstreamPort} {
    transport http {
      keepalive_idle_conns_per_host ${IDLE_CONNECTIONS}
    }
  }
}
`
}
