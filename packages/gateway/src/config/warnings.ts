import { headers } from '@agentic-rest/profile'
import type { GatewayConfig, IssuerOptions, RouteConfig } from './config-schema.ts'
import { entriesAt, valueAt } from './draft.ts'
import { formatPath, type Path } from './faults.ts'
import { parameterName, pathSegments } from './schema/path-template.ts'
import type { Environment } from './source/interpolation.ts'
import { nodeAt, type SourceNode } from './source/source-tree.ts'
import { type UnequalNeighbours, unequalNeighbours } from './unequal-neighbours.ts'

/** The warnings by id. An id never changes: programs that read reports rely on it. */
export const warningKinds = {
  'token-validation-off': 'Requests are accepted without a token.',
  'audience-missing': 'Tokens that an issuer made for other services are accepted.',
  'tenant-open': 'A header alone can decide the tenant of a request.',
  'plain-text-secret': 'A secret is written in the file itself.',
  'sse-without-deadline': 'A stream may last for ever and hold its place.',
  'admin-without-role': 'The admin listener lets nobody in outside development.',
  'unequal-neighbours': 'Two routes that a service may confuse differ in roles, scopes, policy or licence.',
  'generic-invoke': 'A route looks like a generic invoke endpoint, not like an operation of a resource.',
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
export const warningsOf = ({ gateway, plugins, routes }: GatewayConfig): readonly Unwise[] => [
  ...adminWarning(gateway),
  ...pluginWarnings(plugins),
  ...routes.flatMap(routeWarnings),
  ...unequalNeighbours(routes).map(neighbourWarning),
]

const adminWarning = ({ admin }: GatewayConfig['gateway']): Unwise[] => {
  if (admin === undefined || admin.role !== undefined) return []
  const message =
    'has no role, so that nobody is let in outside development; name the role that a token needs'
  return [{ id: 'admin-without-role', path: ['gateway', 'admin'], message }]
}

const TOKEN_VALIDATOR: Path = ['plugins', 'token-validator']

const pluginWarnings = (plugins: GatewayConfig['plugins']): Unwise[] => {
  const { mode, issuers } = plugins['token-validator']
  const tenants = tenantWarning(plugins)
  if (mode === 'on') return [...issuers.flatMap(audienceWarning), ...tenants]
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

const routeWarnings = (route: RouteConfig, index: number): Unwise[] => {
  const warnings: Unwise[] = []
  if (route.mode === 'sse' && route.executionTimeoutSeconds === 0)
    warnings.push({
      id: 'sse-without-deadline',
      path: ['routes', index, 'executionTimeoutSeconds'],
      message:
        'is 0 on a route with mode sse, a stream that never ends keeps one of the places of its tenant',
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

const SECRET_NAME = /auth|cookie|key|token|secret|password|credential|signature|^(?:code|sig)$/i
const WEBHOOKS: readonly Path[] = [
  ['plugins', 'tenant-injector', 'webhook'],
  ['plugins', 'license-check', 'webhook'],
]

const REDIS_URL: Path = ['gateway', 'shared', 'redis_url']

/** The file's tree and values, and the environment of its references. */
export interface SecretSource {
  readonly root: SourceNode
  readonly value: unknown
  readonly environment: Environment
}

/** Finds secrets in plain text: the file may end up in a repository, a backup or a ticket. */
export const plainSecrets = (source: SecretSource): readonly Unwise[] =>
  [
    ...secretPaths(source.value).filter((path) => isPlain(source, path)),
    ...WEBHOOKS.map((path) => [...path, 'url']).filter((path) => hasPlainParameter(source, path)),
    ...[REDIS_URL].filter((path) => hasPlainPassword(source, path)),
  ].map((path) => ({
    id: 'plain-text-secret',
    path,
    message: `${['url', 'redis_url'].includes(String(path.at(-1))) ? 'has' : 'is'} a secret in plain text, take it from the environment: \${NAME:?is needed}`,
  }))

const secretPaths = (value: unknown): Path[] => [
  ...entriesAt(value, ['plugins', 'token-validator', 'issuers']).map((issuer) => [...issuer, 'hs256_secret']),
  ...WEBHOOKS.flatMap((path) =>
    Object.keys(valueAt(value, [...path, 'headers']) ?? {})
      .filter((name) => SECRET_NAME.test(name))
      .map((name) => [...path, 'headers', name]),
  ),
]

/** The default in `${NAME:-text}` counts as plain text while the variable is not set. */
const isPlain = ({ root, environment }: SecretSource, path: Path): boolean => {
  const node = nodeAt(root, path)
  if (node?.kind !== 'scalar' || node.value === '') return false
  return node.variables.every((name) => !Object.hasOwn(environment, name) || environment[name] === '')
}

/** The address at a path and the values of its variables. */
const addressAt = ({ root, environment }: SecretSource, path: Path) => {
  const node = nodeAt(root, path)
  if (node?.kind !== 'scalar' || typeof node.value !== 'string' || !URL.canParse(node.value)) return undefined
  const given = node.variables.map((name) => environment[name] ?? '').filter((text) => text !== '')
  return { address: node.value, given }
}

/** An address may have several variables: only a variable in the parameter itself keeps the secret out of the file. */
const hasPlainParameter = (source: SecretSource, path: Path): boolean => {
  const { address, given = [] } = addressAt(source, path) ?? {}
  if (address === undefined) return false
  return [...new URL(address).searchParams].some(
    ([name, text]) => SECRET_NAME.test(name) && isWritten(text) && !given.some((part) => text.includes(part)),
  )
}

/** A variable may hold a part of the password, the password or the whole address. */
const hasPlainPassword = (source: SecretSource, path: Path): boolean => {
  const { address = '', given = [] } = addressAt(source, path) ?? {}
  const [, password = ''] = /^[^/]*\/\/[^/]*?:([^/]*)@/.exec(address) ?? []
  return password !== '' && !given.some((part) => password.includes(part) || part.includes(password))
}

/** Whether a text has more than placeholders, which the gateway fills in. */
const isWritten = (text: string): boolean => text.replaceAll(/\{\w+\}/g, '') !== ''
