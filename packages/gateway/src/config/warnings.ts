import { headers } from '@agentic-rest/profile'
import type { GatewayConfig, IssuerOptions, RouteConfig } from './config-schema.ts'
import { formatPath, type Path } from './faults.ts'
import { isGenericInvoke } from './generic-invoke.ts'

/** What can be valid but unwise, by an id that stays: who reads reports by machine goes by it. */
export const warningKinds = {
  'token-validation-off': 'Requests are accepted without a token.',
  'audience-missing': 'Tokens that an issuer made for other services are accepted.',
  'tenant-open': 'A header alone can decide the tenant of a request.',
  'plain-text-secret': 'A secret is written in the file itself.',
  'sse-without-deadline': 'A stream may last for ever and hold its place.',
  'admin-without-role': 'The admin listener lets nobody in outside development.',
  'generic-invoke': 'A route looks like a generic invoke endpoint, not like an operation of a resource.',
} as const satisfies Readonly<Record<string, string>>

/** The id of something that is valid but unwise. */
export type WarningId = keyof typeof warningKinds

/** Something unwise at a key. */
export interface Unwise {
  readonly id: WarningId
  readonly path: Path
  readonly message: string
}

/** Something unwise, at the line and column (from 1) of the key or value it is about. */
export interface ConfigWarning {
  readonly id: WarningId
  readonly file: string
  readonly line: number
  readonly column: number
  /** The key, for example `routes[0].path`. */
  readonly path: string
  readonly message: string
}

/** A configuration, and what was found unwise about the file that it was read from. */
export interface LoadedConfig {
  readonly config: GatewayConfig
  readonly warnings?: readonly ConfigWarning[] | undefined
}

/** A warning as a gateway tells it, in its log and in its console. */
export interface ToldWarning {
  readonly id: WarningId
  readonly text: string
}

/** Each warning once. The file knows of more than its values, and a configuration may not be what its file says. */
export const toldWarnings = ({ config, warnings = [] }: LoadedConfig): readonly ToldWarning[] => {
  const ofFile = warnings.map(({ id, path, message }) => ({ id, text: `${path}: ${message}` }))
  const own = warningsOf(config).map(({ id, path, message }) => ({
    id,
    text: `${formatPath(path)}: ${message}`,
  }))
  return [...new Map([...ofFile, ...own].map((told) => [told.text, told])).values()]
}

/** What is valid but unwise about a configuration; values of the file are not repeated, one may be a secret. */
export const warningsOf = ({ gateway, plugins, routes }: GatewayConfig): readonly Unwise[] => [
  ...adminWarning(gateway),
  ...pluginWarnings(plugins),
  ...routes.flatMap(routeWarnings),
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
  if (mode === 'on') return [...issuers.flatMap(audienceWarning), ...tenantWarning(plugins)]
  // Without tokens issuers are not used, and nobody has a claim.
  return [
    {
      id: 'token-validation-off',
      path: [...TOKEN_VALIDATOR, 'mode'],
      message: 'is off, every request is accepted without a token',
    },
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

/** Decision 18 leaves the tenant to the header where a token has no tenant claim: any tenant, unless something bounds it. */
const tenantWarning = (plugins: GatewayConfig['plugins']): Unwise[] => {
  const { claim, allowed, webhook } = plugins['tenant-injector']
  const { issuers, required_claims: required } = plugins['token-validator']
  const mayLackClaim = ({ service_account, claims }: IssuerOptions) =>
    !service_account && !required.includes(claims.tenant ?? claim)
  if (allowed !== undefined || webhook !== undefined || !issuers.some(mayLackClaim)) return []
  const message =
    'has neither allowed nor webhook, a token without its tenant claim is let into any tenant that the ' +
    `${headers.tenantId} header names; list the tenants in allowed, ask a directory by webhook, or put the claim ` +
    'into plugins.token-validator.required_claims'
  return [{ id: 'tenant-open', path: ['plugins', 'tenant-injector'], message }]
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
