import { checkAddressRange, checkHttpUrl, checkOrigin, checkRedisUrl } from './address-checks.ts'
import { checked, filledList, flag, integer, list, oneOf, patterned, section, text } from './field-kinds.ts'
import { checkSharedSecret, issuerName, role, scope } from './formats.ts'
import { idempotencySection } from './idempotency-sections.ts'
import { pricesSection, rateLimitSection } from './limit-sections.ts'
import { file, secret, secretFile } from './marks.ts'

const HOST_NAME =
  /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/

// The URL parser checks IPv6 addresses, and that a name of four numbers is an IPv4 address.
const isHost = (host: string): boolean =>
  host.includes(':')
    ? /^[0-9A-Fa-f:.]+$/.test(host) && URL.canParse(`http://[${host}]`)
    : HOST_NAME.test(host) && URL.canParse(`http://${host}`)

const checkHost = (host: string): string | undefined =>
  isHost(host) ? undefined : 'must be a host name or an IP address, without a port'

// The origin goes into a header of the console's page: its host must be a plain name or address.
const checkGatewayUrl = (origin: string): string | undefined => {
  const fault = checkOrigin(origin)
  if (fault !== undefined) return fault
  const named = new URL(origin).hostname.replace(/^\[|\]$/g, '')
  return isHost(named) ? undefined : 'must have a host name or an IP address'
}

const host = () => checked('a host name or an IP address', checkHost)
const port = () => integer(0, 65_535)
const GIBIBYTE = 1_073_741_824

const tls = section({
  cert_file: file().describe('PEM file with the certificate chain, relative to this file.'),
  key_file: file().describe('PEM file with the private key, relative to this file.'),
  client_ca_file: file()
    .optional()
    .describe(
      'PEM file with the authorities of client certificates, relative to this file; absent means that clients are not asked for one.',
    ),
  client_certificate: oneOf(['request', 'require'])
    .optional()
    .describe(
      '`require` refuses connections without a valid client certificate, `request` takes them too; request is the default with client_ca_file.',
    ),
  http2: flag()
    .default(true)
    .describe('Offers HTTP/2 to clients beside HTTP/1.1; they choose in the handshake (ALPN).'),
})

const grant = section({
  role: role().describe('Role that a token needs.'),
  issuers: filledList(text('an issuer'))
    .optional()
    .describe('Issuers of token-validator whose tokens count, each as in its iss; absent means all.'),
})

const adminRoles = section({
  viewer: grant
    .optional()
    .describe(
      'Who may read the console, the API and the feed, without paths of addresses and words of rules.',
    ),
  operator: grant.optional().describe('Who may also act: reload the file and post records.'),
})

const admin = section({
  host: host().default('127.0.0.1').describe('Address the admin listener binds to; keep it private.'),
  port: port().default(8090).describe('Port of the admin listener; 0 picks a free one.'),
  role: role()
    .optional()
    .describe(
      'Role that a token needs to be let in, to read and to act; short for roles.operator.role. Without role and roles nobody is let in, except in development.',
    ),
  roles: adminRoles
    .optional()
    .describe('Who may read and who may also act, instead of role; at least one of the two.'),
  tls: tls.optional().describe('Certificate of the admin listener; absent means plain HTTP.'),
  hosts: list(host())
    .default([])
    .describe('Further names by which browsers may ask for it; any other Host is refused.'),
  public_url: checked('an origin', checkOrigin)
    .optional()
    .describe(
      'Origin where browsers reach the console, for gateway.sign_in; needed unless host is a loopback address.',
    ),
  gateway_url: checked('an origin', checkGatewayUrl)
    .optional()
    .describe(
      'Where the browsers of console users reach the gateway, when it is not at its own host and port, for example behind a proxy.',
    ),
})

const metrics = section({
  port: oneOf(['main', 'admin'])
    .default('main')
    .describe(
      'Listener that answers /metrics without a token; with admin the main one answers 404. Applies with a reload.',
    ),
})

const llm = section({
  max_sse_connections_per_tenant: integer(1, 1_000_000)
    .default(10)
    .describe(
      'Streams one tenant may hold open at a time, whatever its clients accept; one more is refused with LIMIT_EXCEEDED.',
    ),
})

// One origin holds at most its connections plus its queue, half of max_in_flight: a slow service never starves another.
const limits = section({
  max_body_bytes: integer(1, GIBIBYTE)
    .default(10_485_760)
    .describe('Largest request body that is forwarded.'),
  max_header_bytes: integer(1024, 1_048_576).default(16_384).describe('Largest request head, in bytes.'),
  max_headers: integer(1, 2000).default(100).describe('Most header lines one request may have.'),
  max_connections: integer(1, 1_000_000).default(10_000).describe('Most client connections open at a time.'),
  max_streams_per_connection: integer(1, 10_000)
    .default(100)
    .describe('Most requests open at a time on one connection with HTTP/2.'),
  max_agentic_response_bytes: integer(1, GIBIBYTE)
    .default(1_048_576)
    .describe('Largest upstream body of a profile media type, which is held in memory to check its trace.'),
  max_in_flight: integer(1, 1_000_000)
    .default(4096)
    .describe(
      'Most requests worked on at a time, open streams and waits for unknown keys aside; above it a request is refused with OVERLOADED.',
    ),
  max_in_flight_per_tenant: integer(1, 1_000_000)
    .optional()
    .describe(
      'Most requests of one tenant worked on at a time, open streams aside; above it a request is refused with LIMIT_EXCEEDED. Absent means a quarter of max_in_flight, at least 1.',
    ),
  max_buffered_bytes: integer(1, 1024 * GIBIBYTE)
    .default(268_435_456)
    .describe(
      'Most bytes of bodies held in memory at a time; a request whose body does not fit is refused with OVERLOADED.',
    ),
  max_buffered_bytes_per_tenant: integer(1, 1024 * GIBIBYTE)
    .optional()
    .describe(
      'The same for the bodies of one tenant; above it a request is refused with LIMIT_EXCEEDED. Absent means a quarter of max_buffered_bytes, at least max_body_bytes.',
    ),
  max_upstream_connections_per_origin: integer(1, 65_535)
    .default(1024)
    .describe('Most connections to one upstream origin; each open stream holds one.'),
  max_upstream_queue_per_origin: integer(0, 1_000_000)
    .default(1024)
    .describe('Most requests that wait for a connection to one upstream origin; tenants are served in turn.'),
  max_upstream_connections_per_tenant: integer(1, 65_535)
    .optional()
    .describe(
      'Most connections to one upstream origin that requests of one tenant use at a time; further ones wait. Absent means three quarters of max_upstream_connections_per_origin, rounded up.',
    ),
  max_upstream_queue_per_tenant: integer(0, 1_000_000)
    .optional()
    .describe(
      'Most requests of one tenant that wait for a connection to one upstream origin; above it a request is refused with LIMIT_EXCEEDED. Absent means a quarter of max_upstream_queue_per_origin, at least 1.',
    ),
})

const cors = section({
  origins: filledList(checked('an origin', checkOrigin)).describe(
    'Origins that browsers may call from, each exactly as the Origin header spells it.',
  ),
})

const identity = section({
  key_file: file().describe(
    'PEM file with the private key (PKCS#8), Ed25519 or P-256, relative to this file.',
  ),
  key_id: patterned('a key id (1 to 256 printable ASCII characters without blanks)', /^[!-~]{1,256}$/)
    .optional()
    .describe('Name of the key in tokens and in the key set; absent means its thumbprint (RFC 7638).'),
  issuer: issuerName().default('agentic-gateway').describe('Value of the iss claim.'),
  ttl_seconds: integer(1, 3600).default(60).describe('How long a token is valid.'),
  body_digest: flag()
    .default(false)
    .describe(
      'Adds the SHA-256 of a body that is in memory, as claim bsha; then every request is signed anew.',
    ),
})

const shared = section({
  redis_url: secret(checked('a Redis URL', checkRedisUrl), 'password')
    .optional()
    .describe(
      'Redis that the gateways have in common, redis:// or rediss://, with user and password where it asks for them, best taken from the environment; never shown.',
    ),
  redis_url_file: secretFile(checkRedisUrl)
    .optional()
    .describe('File with that address instead, relative to this file; a newline at its end is cut.'),
  ca_file: file()
    .optional()
    .describe('PEM file with the authorities trusted for rediss://, relative to this file.'),
})

const approvalsPage = section({
  key_files: filledList(secretFile(checkSharedSecret))
    .optional()
    .describe(
      'Files with secrets of at least 32 characters that seal the sessions, relative to this file: the first seals, all open. Gateways behind one address need the same; absent means a random secret with each start.',
    ),
})

const signIn = section({
  issuer: checked('an issuer', checkHttpUrl).describe(
    'Identity provider where people sign in; one of the issuers of token-validator.',
  ),
  client_id: text('a client id').describe('Name of this gateway at the provider.'),
  client_secret: secret(text('a secret'))
    .optional()
    .describe('Secret of this client, best taken from the environment; absent means a public client.'),
  client_secret_file: secretFile()
    .optional()
    .describe('File with that secret instead, relative to this file.'),
  scopes: filledList(scope()).default(['openid', 'profile']).describe('Scopes that are asked for.'),
  public_url: checked('an origin', checkOrigin)
    .optional()
    .describe('Origin where browsers reach this gateway; needed unless host is a loopback address.'),
  audience: text('an audience')
    .optional()
    .describe('Sent as audience, for providers that choose the access token by it.'),
  resource: text('a resource').optional().describe('Sent as resource (RFC 8707), likewise.'),
  session_hours: integer(1, 720).default(8).describe('How long a session lasts at most.'),
  key_files: filledList(secretFile(checkSharedSecret))
    .optional()
    .describe(
      'Files with secrets of at least 32 characters that seal the cookies, relative to this file: the first seals, all open. Gateways behind one address need the same; absent means a random secret with each start.',
    ),
})

/** The `gateway` section: listeners, limits and shutdown. */
export const gatewaySection = section({
  host: host().default('127.0.0.1').describe('Address the gateway binds to; 0.0.0.0 for every interface.'),
  port: port().default(8080).describe('Port the gateway listens on; 0 picks a free one, printed on start.'),
  workers: integer(1, 64)
    .default(1)
    .describe(
      'Processes that "agentic start" spreads connections over, best one for each core; limits and metrics are those of all together.',
    ),
  admin: admin.optional().describe('Second listener, with the console and its API; absent means off.'),
  metrics: metrics.prefault({}).describe('Where the metrics are served.'),
  llm: llm.prefault({}).describe('Limits of streaming routes.'),
  shared: shared
    .optional()
    .describe(
      'Keeps max_sse_connections_per_tenant, rate_limits and, where gateway.idempotency says so, idempotency keys across several gateways instead of in each, and passes answers of MCP clients on between them; absent means in each.',
    ),
  trusted_proxies: list(checked('an address range', checkAddressRange))
    .default([])
    .describe(
      'Address ranges of proxies before the gateway, such as 10.0.0.0/8. Audit records and the X-Forwarded-For of services then begin with the client: the rightmost address of X-Forwarded-For outside of them.',
    ),
  limits: limits.prefault({}).describe('Bounds that protect the process.'),
  rate_limits: list(rateLimitSection)
    .default([])
    .describe('Limits of requests, tokens and cost. All that fit a request apply.'),
  prices: pricesSection.prefault({}).describe('Prices of language models, for limits of cost.'),
  idempotency: idempotencySection
    .prefault({})
    .describe('Where the keys of routes with idempotency are kept.'),
  drain_seconds: integer(0, 3600)
    .default(25)
    .describe('How long requests in flight may take to finish after SIGTERM.'),
  drain_delay_seconds: integer(0, 3600)
    .default(0)
    .describe(
      'How long new requests are still accepted after SIGTERM, for load balancers that are slow to notice.',
    ),
  cors: cors.optional().describe('Cross-origin access for browsers; absent means no CORS headers.'),
  approvals_page: approvalsPage
    .optional()
    .describe(
      'Page for browsers at /approvals/{approvalId}, where people see and decide an approval; absent means off.',
    ),
  sign_in: signIn
    .optional()
    .describe(
      'Lets people sign in at an identity provider, for approvals and the console; absent means by a token only.',
    ),
  tls: tls.optional().describe('Certificate of the main listener; absent means plain HTTP.'),
  identity: identity
    .optional()
    .describe(
      'Signs caller, tenant and roles for the services, in X-Agentic-Identity; absent means no such header.',
    ),
})
