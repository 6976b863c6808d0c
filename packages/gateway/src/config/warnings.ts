import { dirname } from 'node:path'
import { headers } from '@agentic-rest/profile'
import type {
  GatewayConfig,
  IssuerOptions,
  OtelAuditOptions,
  RateLimitOptions,
  RouteConfig,
  UpstreamConfig,
} from './config-schema.ts'
import { formatPath, type Path } from './faults.ts'
import { keySourceOf } from './key-source.ts'
import { isAllInterfaces, isPlainToAnotherHost } from './schema/address-checks.ts'
import { isMessagesApi, parameterName, pathSegments } from './schema/path-template.ts'
import { redisUrlOf } from './secret-files.ts'
import { type UnequalNeighbours, unequalNeighbours } from './unequal-neighbours.ts'

/** The warnings by id. An id never changes: programs that read reports rely on it. */
export const warningKinds = {
  'token-validation-off': 'Requests are accepted without a token.',
  'audience-missing': 'Tokens that an issuer made for other services are accepted.',
  'tenant-open': 'A header alone can decide the tenant of a request.',
  'directory-without-issuer': 'The tenant directory cannot tell the callers of several issuers apart.',
  'plain-text-secret': 'A secret is written in the file itself.',
  'keys-in-memory': 'Idempotency keys are lost with the process, and other gateways do not know them.',
  'sessions-in-memory':
    'Gateways behind one address have the same key for sessions of browsers, and do not know them of each other.',
  'keyed-without-deadline': 'A keyed request whose client left may wait for its answer for ever.',
  'usage-not-asked':
    'The budget of a stream is charged an estimate, because the service is not asked for its tokens.',
  'sse-without-deadline': 'A stream may last for ever and hold its place.',
  'token-forwarded': 'A service gets the tokens of callers, and the file does not say so.',
  'plain-connection': 'Something that must stay secret or unchanged goes to another host without TLS.',
  'listener-without-tls': 'A listener on all interfaces takes tokens without TLS.',
  'admin-without-role': 'The admin listener lets nobody in outside development.',
  'head-beside-log': 'Whoever can change the sealed log can also change the proof of its length.',
  'unequal-neighbours': 'Two routes that a service may confuse differ in roles, scopes, policy or licence.',
  'generic-invoke': 'A route looks like a generic invoke endpoint, not like an operation of a resource.',
  'many-tools': 'One MCP endpoint has more tools than clients and models cope with.',
  'tool-without-description': 'A model must guess the use of a tool.',
} as const satisfies Readonly<Record<string, string>>

/** The id of a warning. */
export type WarningId = keyof typeof warningKinds

/** A warning at a path, before it gets its line and column. */
export interface Unwise {
  readonly id: WarningId
  readonly path: Path
  readonly message: string
}

/** A warning, at the line and column (from 1) of its key or value. */
export interface ConfigWarning {
  readonly id: WarningId
  readonly file: string
  readonly line: number
  readonly column: number
  /** The key, for example `routes[0].path`. */
  readonly path: string
  readonly message: string
}

/** A configuration and the warnings about its file. */
export interface LoadedConfig {
  readonly config: GatewayConfig
  readonly warnings?: readonly ConfigWarning[] | undefined
}

/** A warning as the log and the console show it. */
export interface ToldWarning {
  readonly id: WarningId
  readonly text: string
}

/** Merges the warnings about the file and about its values, each once. A program may have changed the values after reading the file. */
export const toldWarnings = ({ config, warnings = [] }: LoadedConfig): readonly ToldWarning[] => {
  const ofFile = warnings.map(({ id, path, message }) => ({ id, text: `${path}: ${message}` }))
  const own = warningsOf(config).map(({ id, path, message }) => ({
    id,
    text: `${formatPath(path)}: ${message}`,
  }))
  return [...new Map([...ofFile, ...own].map((told) => [told.text, told])).values()]
}

/** Finds valid but unwise settings. Messages never repeat a value: it may be a secret. */
export const warningsOf = ({ gateway, plugins, upstreams, routes }: GatewayConfig): readonly Unwise[] => [
  ...listenerWarnings(gateway),
  ...adminWarning(gateway),
  ...pluginWarnings(plugins),
  ...plainConnections({ gateway, plugins, upstreams, routes }),
  ...headWarning(plugins['otel-audit']),
  ...keyWarning(gateway, routes),
  ...sessionWarning(gateway),
  ...routes.flatMap(routeWarnings),
  ...routes.flatMap((route, index) => usageWarning(route, index, gateway.rate_limits)),
  ...unequalNeighbours(routes).map(neighbourWarning),
  ...toolWarnings(routes),
]

const listenerWarnings = ({ host, tls, admin }: GatewayConfig['gateway']): Unwise[] => {
  const open: Path[] = []
  if (tls === undefined && isAllInterfaces(host)) open.push(['gateway', 'host'])
  if (admin !== undefined && admin.tls === undefined && isAllInterfaces(admin.host))
    open.push(['gateway', 'admin', 'host'])
  const message =
    'is every interface without TLS, tokens can be read on the way; set tls, or listen only where a proxy with TLS comes from'
  return open.map((path) => ({ id: 'listener-without-tls', path, message }))
}

/** A log that is cut together with its head file looks whole. */
const headWarning = (audit: OtelAuditOptions): Unwise[] => {
  const { enabled, file = '', seal, head_file: head, anchor } = audit
  if (!enabled || seal === undefined || anchor !== undefined) return []
  if (head !== undefined && dirname(head) !== dirname(file)) return []
  const path = ['plugins', 'otel-audit', head === undefined ? 'seal' : 'head_file']
  const message =
    'has its newest checkpoint beside the log, where both can be cut; set head_file on another volume, or an anchor'
  return [{ id: 'head-beside-log', path, message }]
}

/** Addresses without TLS on another host: anybody on the way can read and change what is sent. */
const plainConnections = ({ gateway, plugins, upstreams, routes }: GatewayConfig): Unwise[] => {
  const { 'tenant-injector': tenants, 'license-check': licences, 'otel-audit': audit } = plugins
  const { mode, issuers } = plugins['token-validator']
  const collector = audit.enabled && audit.exporter === 'otlp' ? audit.otlp_endpoint : undefined
  const of = (address: string | undefined, path: Path, danger: string): Unwise[] =>
    address !== undefined && isPlainToAnotherHost(address)
      ? [{ id: 'plain-connection', path, message: `has no TLS and is another host, ${danger}` }]
      : []
  return [
    ...redisAddresses(gateway.shared).flatMap(([key, address]) =>
      of(address, ['gateway', 'shared', key], 'its password can be read; use rediss'),
    ),
    ...(mode === 'on' ? issuers : []).flatMap((issuer, index) => {
      const [key, address] = keyAddress(issuer)
      const path = [...TOKEN_VALIDATOR, 'issuers', index]
      return [
        ...of(address, [...path, key], 'its keys can be exchanged; use https'),
        ...of(
          issuer.introspection?.url,
          [...path, 'introspection', 'url'],
          'the tokens of callers and the secret of the gateway can be read; use https',
        ),
      ]
    }),
    ...of(
      tenants.webhook?.url,
      ['plugins', 'tenant-injector', 'webhook', 'url'],
      'its answers, which decide about tenants, can be changed; use https',
    ),
    ...of(
      licences.webhook?.url,
      ['plugins', 'license-check', 'webhook', 'url'],
      'its answers, which decide about licences, can be changed; use https',
    ),
    ...of(collector, ['plugins', 'otel-audit', 'otlp_endpoint'], 'the records can be read; use https'),
    ...of(
      audit.enabled ? audit.anchor?.url : undefined,
      ['plugins', 'otel-audit', 'anchor', 'url'],
      'checkpoints can be changed on the way; use https',
    ),
    ...routes.flatMap(({ target, forwardAuthorization }, index) =>
      of(forwardAuthorization ? target : undefined, ['routes', index, 'target'], TOKENS_READABLE),
    ),
    ...Object.entries(upstreams)
      .filter(([name]) => routes.some((route) => route.upstream === name && route.forwardAuthorization))
      .flatMap(([name, upstream]) =>
        addressesOf(upstream).flatMap(([path, address]) =>
          of(address, ['upstreams', name, ...path], TOKENS_READABLE),
        ),
      ),
  ]
}

const TOKENS_READABLE = 'the tokens of callers can be read; use https, or set forwardAuthorization to false'

/** The addresses of an upstream with their places in it. */
const addressesOf = ({ targets = [], dns }: UpstreamConfig): readonly (readonly [Path, string])[] => [
  ...targets.map(({ url }, index) => [['targets', index], url] as const),
  ...(dns === undefined ? [] : [[['dns', 'scheme'], `${dns.scheme}://${dns.name}`] as const]),
]

/** The address of Redis with its key. A file that cannot be read here is a fault of the start, not of this check. */
const redisAddresses = (
  shared: GatewayConfig['gateway']['shared'],
): readonly (readonly [string, string])[] => {
  if (shared === undefined) return []
  try {
    return [[shared.redis_url_file === undefined ? 'redis_url' : 'redis_url_file', redisUrlOf(shared)]]
  } catch {
    return []
  }
}

/** The key with the address that an issuer's keys are fetched from; without `jwks_uri` it is discovered at the issuer. */
const keyAddress = (issuer: IssuerOptions) =>
  issuer.jwks_uri === undefined
    ? (['issuer', keySourceOf(issuer) === 'discovery' ? issuer.issuer : undefined] as const)
    : (['jwks_uri', issuer.jwks_uri] as const)

const adminWarning = ({ admin }: GatewayConfig['gateway']): Unwise[] => {
  if (admin === undefined || (admin.role ?? admin.roles) !== undefined) return []
  const message =
    'has no role, so that nobody is let in outside development; name the role that a token needs'
  return [{ id: 'admin-without-role', path: ['gateway', 'admin'], message }]
}

const TOKEN_VALIDATOR: Path = ['plugins', 'token-validator']

const pluginWarnings = (plugins: GatewayConfig['plugins']): Unwise[] => {
  const { mode, issuers } = plugins['token-validator']
  const tenants = tenantWarning(plugins)
  if (mode === 'on') return [...issuers.flatMap(audienceWarning), ...tenants, ...directoryWarning(plugins)]
  // Without tokens no issuer is used.
  return [
    {
      id: 'token-validation-off',
      path: [...TOKEN_VALIDATOR, 'mode'],
      message: 'is off, every request is accepted without a token',
    },
    ...tenants,
  ]
}

const audienceWarning = ({ audience }: IssuerOptions, index: number): Unwise[] =>
  audience.length > 0
    ? []
    : [
        {
          id: 'audience-missing',
          path: [...TOKEN_VALIDATOR, 'issuers', index, 'audience'],
          message: 'is empty, tokens that this issuer made for other services are accepted too',
        },
      ]

/** Decision 18: for a caller without a tenant claim the header decides, also about tenants of others. */
const tenantWarning = (plugins: GatewayConfig['plugins']): Unwise[] => {
  const { trust_header, allowed } = plugins['tenant-injector']
  if (trust_header !== 'everyone') return []
  const reach = allowed === undefined ? 'any tenant' : 'any allowed tenant'
  const message =
    `is everyone, a caller without a tenant claim is let into ${reach} that the ${headers.tenantId} header names; ` +
    'put a tenant claim into the tokens or ask a directory by webhook'
  return [{ id: 'tenant-open', path: ['plugins', 'tenant-injector', 'trust_header'], message }]
}

/** Decision 36: two issuers may both know an `alice`. Tokens of service accounts are not looked up. */
const directoryWarning = (plugins: GatewayConfig['plugins']): Unwise[] => {
  const { webhook } = plugins['tenant-injector']
  const people = plugins['token-validator'].issuers.filter(({ service_account }) => !service_account)
  if (webhook === undefined || people.length < 2 || webhook.url.includes('{issuer}')) return []
  const message =
    `has no {issuer}, a subject that ${people.length} issuers know gets the same tenants from each of them; put {issuer} ` +
    'into the address'
  return [{ id: 'directory-without-issuer', path: ['plugins', 'tenant-injector', 'webhook', 'url'], message }]
}

/** Whether the gateway keeps the idempotency keys of a route. */
export const keepsKeys = ({ idempotency }: RouteConfig): boolean =>
  idempotency !== undefined && idempotency.mode !== 'off'

const keyWarning = ({ idempotency }: GatewayConfig['gateway'], routes: GatewayConfig['routes']): Unwise[] => {
  if (idempotency.store !== 'memory' || !routes.some(keepsKeys)) return []
  const message =
    'is memory, so that the keys are lost with the process and other gateways do not know them; shared keeps them in the Redis of gateway.shared'
  return [{ id: 'keys-in-memory', path: ['gateway', 'idempotency', 'store'], message }]
}

/** The key alone does not share sessions: their tokens are in the store. */
const sessionWarning = ({ shared, sign_in, approvals_page }: GatewayConfig['gateway']): Unwise[] => {
  if (shared !== undefined || (sign_in ?? approvals_page)?.key_files === undefined) return []
  const path = ['gateway', sign_in === undefined ? 'approvals_page' : 'sign_in', 'key_files']
  const message =
    'is set without gateway.shared, so that the sessions are lost with the process and other gateways do not know them; set shared'
  return [{ id: 'sessions-in-memory', path, message }]
}

const MANY_TOOLS = 100

const toolWarnings = (routes: GatewayConfig['routes']): Unwise[] => {
  const tools = routes.filter(({ mcp }) => mcp !== undefined).length
  const many: Unwise[] =
    tools > MANY_TOOLS
      ? [
          {
            id: 'many-tools',
            path: ['mcp'],
            message: `has ${tools} tools, some clients refuse more than 128 and models choose badly among many; offer fewer routes`,
          },
        ]
      : []
  // The document of a service may describe its operations; it is not read here.
  const silent = routes.flatMap(({ mcp }, index): Unwise[] =>
    mcp === undefined || mcp.input === 'openapi' || mcp.description !== undefined
      ? []
      : [
          {
            id: 'tool-without-description',
            path: ['routes', index, 'mcp'],
            message: 'has no description and no document with one, a model must guess the use of the tool',
          },
        ],
  )
  return [...many, ...silent]
}

const routeWarnings = (route: RouteConfig, index: number): Unwise[] => {
  const warnings: Unwise[] = []
  if (route.mode === 'sse' && route.executionTimeoutSeconds === 0)
    warnings.push({
      id: 'sse-without-deadline',
      path: ['routes', index, 'executionTimeoutSeconds'],
      message:
        'is 0 on a route with mode sse, a stream that never ends keeps one of the places of its tenant',
    })
  if (keepsKeys(route) && route.executionTimeoutSeconds === 0)
    warnings.push({
      id: 'keyed-without-deadline',
      path: ['routes', index, 'executionTimeoutSeconds'],
      message:
        'is 0 on a route with idempotency, a keyed request goes on when its client leaves and may wait for its answer for ever',
    })
  if (isGenericInvoke(route))
    warnings.push({
      id: 'generic-invoke',
      path: ['routes', index, 'path'],
      message:
        'looks like a generic invoke endpoint; the profile has each operation on a resource of its own, for example ' +
        'POST /campaigns/{campaignId}/optimizations',
    })
  return warnings
}

/** Without a report a budget is charged an estimate. The Messages API reports without being asked. */
const usageWarning = (
  { id, mode, path, inject_usage }: RouteConfig,
  index: number,
  policies: readonly RateLimitOptions[],
): Unwise[] => {
  const counts = ({ requests, routes }: RateLimitOptions) =>
    requests === undefined && (routes?.includes(id) ?? true)
  if (inject_usage !== false || mode !== 'sse' || isMessagesApi(path) || !policies.some(counts)) return []
  const message =
    'is false on a route whose tokens are counted, a chat stream that does not report them is charged an estimate'
  return [{ id: 'usage-not-asked', path: ['routes', index, 'inject_usage'], message }]
}

/** Decision 37: the gateway refuses the spellings it knows; a service may confuse the two routes in further ways. */
const neighbourWarning = ({ index, other, differing }: UnequalNeighbours): Unwise => ({
  id: 'unequal-neighbours',
  path: ['routes', index, 'path'],
  message:
    `differs from routes[${other}], which has a parameter for a literal of this path, in ${differing.join(', ')}; ` +
    'a service that reads paths less strictly could serve one for the other, so make them equal or name the paths apart',
})

// Verbs that name no operation.
const ACTS = new Set(['ask', 'dispatch', 'exec', 'execute', 'invoke', 'perform'])
// Words with that meaning in a POST; a resource that is replaced or read may have such a name.
const ACTS_OF_POST = new Set([...ACTS, 'call', 'chat', 'invocation', 'invocations', 'prompt', 'rpc', 'run'])
// Parameters with which the caller chooses the operation.
const DOER = /^(?:action|agent|capability|command|function|intent|method|operation|skill|tool)(?:_?name)?$/i
const DOERS = /^(?:actions|agents|capabilities|commands|functions|intents|methods|operations|skills|tools)$/i
const ID = /id$/i

/**
 * Whether a route looks like a generic invoke endpoint (What the service does: "never as a generic invoke endpoint"):
 * the body or a parameter chooses the operation, not the resource.
 */
const isGenericInvoke = ({ method, path }: Pick<RouteConfig, 'method' | 'path'>): boolean => {
  const [last, before = ''] = pathSegments(path).toReversed()
  if (last === undefined) return method === 'POST'
  if (method === 'POST') return isChosenInPost(last, before)
  if (method !== 'PUT' && method !== 'PATCH') return false
  // PUT /agents/{name} is an operation on a resource; only a verb in the path makes it an invoke endpoint.
  return ACTS.has(wordOf(parameterName(last) === undefined ? last : before))
}

const isChosenInPost = (last: string, before: string): boolean => {
  const parameter = parameterName(last)
  if (parameter === undefined) return ACTS_OF_POST.has(wordOf(last)) || DOER.test(wordOf(last))
  if (DOER.test(parameter) || ACTS.has(wordOf(before))) return true
  // /agents/{agentId} addresses an existing agent; /agents/{name} and /run/{what} choose an operation.
  return !ID.test(parameter) && (ACTS_OF_POST.has(wordOf(before)) || DOERS.test(wordOf(before)))
}

/** The last word of a segment; a custom method follows a colon: /agents:invoke. */
const wordOf = (segment: string): string => segment.slice(segment.lastIndexOf(':') + 1).toLowerCase()
