import { isShowable } from './check-schema.ts'
import {
  type Draft,
  entriesAt,
  exactlyOneOf,
  findRepeats,
  isMap,
  isPresent,
  type Rule,
  type RuleFinding,
  textAt,
  uniqueTexts,
  valueAt,
} from './draft.ts'
import { type Finding, type Path, type Position, quote } from './faults.ts'
import { idempotencyRules } from './idempotency-rules.ts'
import { limitRules } from './limit-rules.ts'
import { mcpRules } from './mcp-rules.ts'
import { checkHttpUrl } from './schema/address-checks.ts'
import { checkPathTemplate, pathShape } from './schema/path-template.ts'
import { signInRules } from './sign-in-rules.ts'
import { nodeAt, placeAt, type SourceNode } from './source/source-tree.ts'
import { targetRules } from './target-rules.ts'

/** The file as the rules see it. */
export interface RuleInput {
  readonly root: SourceNode
  /** The plain values of the tree. */
  readonly value: unknown
  readonly positionOf: (offset: number) => Position
}

/** Runs the rules that look at more than one key; the schema checks each key alone. */
export const checkRules = (input: RuleInput): readonly Finding[] => {
  const draft = createDraft(input)
  return [
    ...gatewayRules,
    ...limitRules,
    ...signInRules,
    ...routeRules,
    ...targetRules,
    ...idempotencyRules,
    ...pluginRules,
    ...mcpRules,
  ]
    .flatMap((rule) => rule(draft))
    .map(locate(input.root))
}

const createDraft = ({ root, value, positionOf }: RuleInput): Draft => ({
  value,
  lineOf: (path) => positionOf(nodeAt(root, path)?.offset ?? 0).line,
  show(path) {
    const node = nodeAt(root, path)
    return node?.kind === 'scalar' && isShowable(node, path) ? ` ${quote(String(node.value))}` : ''
  },
})

const locate =
  (root: SourceNode) =>
  (finding: RuleFinding): Finding => {
    const { offset, end } = placeAt(root, finding.path)
    return { ...finding, offset, end }
  }

const authoritiesNeedTls: Rule = ({ value }) => {
  const path = ['gateway', 'shared', 'ca_file']
  const address = textAt(value, ['gateway', 'shared', 'redis_url'])
  const plain = address !== undefined && !/^rediss:/i.test(address)
  return plain && isPresent(value, path)
    ? [{ path, message: 'needs a redis_url that starts with rediss://' }]
    : []
}

const CONNECTIONS = ['gateway', 'limits', 'max_upstream_connections_per_origin'] as const

/** The workers divide the connections to an origin; a worker without a connection could serve no request. */
const everyWorkerHasAConnection: Rule = ({ value }) => {
  const path = ['gateway', 'workers']
  const [workers, connections] = [valueAt(value, path), valueAt(value, CONNECTIONS)]
  if (typeof workers !== 'number' || typeof connections !== 'number' || workers <= connections) return []
  return [{ path, message: `needs ${CONNECTIONS.join('.')} to be at least as many` }]
}

const oneRedisAddress: Rule = (draft) => {
  const path = ['gateway', 'shared']
  return isMap(valueAt(draft.value, path)) ? exactlyOneOf(draft, path, ['redis_url', 'redis_url_file']) : []
}

const metricsNeedTheirListener: Rule = ({ value }) => {
  const path = ['gateway', 'metrics', 'port']
  if (valueAt(value, path) !== 'admin' || isPresent(value, ['gateway', 'admin'])) return []
  return [{ path, message: 'is admin, which needs gateway.admin' }]
}

const clientCertificatesNeedAuthorities: Rule = ({ value }) =>
  [
    ['gateway', 'tls'],
    ['gateway', 'admin', 'tls'],
  ]
    .filter((tls) => !isPresent(value, [...tls, 'client_ca_file']))
    .map((tls) => [...tls, 'client_certificate'])
    .filter((path) => isPresent(value, path))
    .map((path) => ({ path, message: 'needs client_ca_file beside it', absence: true }))

const ADMIN_ROLES: Path = ['gateway', 'admin', 'roles']

const oneKindOfAdminRole: Rule = ({ value }) => {
  if (!isMap(valueAt(value, ADMIN_ROLES))) return []
  if (isPresent(value, ['gateway', 'admin', 'role']))
    return [{ path: ADMIN_ROLES, message: 'cannot stand beside role, which means roles.operator' }]
  const named = ['viewer', 'operator'].some((name) => isPresent(value, [...ADMIN_ROLES, name]))
  return named ? [] : [{ path: ADMIN_ROLES, message: 'needs viewer or operator', absence: true }]
}

/** A name that no issuer has would let nobody in. */
const adminIssuersAreKnown: Rule = (draft) => {
  const { value } = draft
  const known = new Set(issuersOf(draft).map((issuer) => textAt(value, [...issuer, 'issuer'])))
  return ['viewer', 'operator']
    .flatMap((name) => entriesAt(value, [...ADMIN_ROLES, name, 'issuers']))
    .filter((path) => textAt(value, path) !== undefined && !known.has(textAt(value, path)))
    .map((path) => ({ path, message: 'is none of plugins.token-validator.issuers' }))
}

const gatewayRules: readonly Rule[] = [
  oneRedisAddress,
  oneKindOfAdminRole,
  adminIssuersAreKnown,
  authoritiesNeedTls,
  everyWorkerHasAConnection,
  metricsNeedTheirListener,
  clientCertificatesNeedAuthorities,
]

const routesOf = ({ value }: Draft) => entriesAt(value, ['routes'])

const uniqueEndpoints: Rule = (draft) => {
  const endpointOf = (route: readonly (string | number)[]): string | undefined => {
    const method = textAt(draft.value, [...route, 'method'])
    const path = textAt(draft.value, [...route, 'path'])
    if (method === undefined || path === undefined || checkPathTemplate(path) !== undefined) return undefined
    return `${method} ${pathShape(path)}`
  }
  return findRepeats(routesOf(draft), endpointOf).map(({ entry, first }) => ({
    path: [...entry, 'path'],
    message: `same method and path as the route on line ${draft.lineOf(first)}; parameter names make no difference`,
  }))
}

const licenceHasSource: Rule = (draft) => {
  const tenants = valueAt(draft.value, ['plugins', 'license-check', 'tenants'])
  const filled = typeof tenants === 'object' && tenants !== null && Object.keys(tenants).length > 0
  if (filled || isPresent(draft.value, ['plugins', 'license-check', 'webhook'])) return []
  const licensed = routesOf(draft).map((route) => [...route, 'license'])
  return licensed
    .filter((path) => isPresent(draft.value, path))
    .map((path) => ({
      path,
      message: 'needs plugins.license-check with tenants or a webhook',
      absence: true,
    }))
}

const routeRules: readonly Rule[] = [
  uniqueTexts(routesOf, 'id', 'route id'),
  uniqueEndpoints,
  licenceHasSource,
]

const TOKEN_VALIDATOR: Path = ['plugins', 'token-validator']
const AUDIT: Path = ['plugins', 'otel-audit']

const issuersOf = ({ value }: Draft) => entriesAt(value, [...TOKEN_VALIDATOR, 'issuers'])
const sanitizeRulesOf = ({ value }: Draft) => entriesAt(value, ['plugins', 'prompt-sanitize', 'rules'])
const attributesOf = ({ value }: Draft) => entriesAt(value, [...AUDIT, 'attributes'])

const someIssuer: Rule = ({ value }) => {
  const mode = valueAt(value, [...TOKEN_VALIDATOR, 'mode']) ?? 'on'
  if (!isMap(valueAt(value, TOKEN_VALIDATOR)) || mode !== 'on') return []
  const path = [...TOKEN_VALIDATOR, 'issuers']
  const issuers = valueAt(value, path) ?? []
  if (!Array.isArray(issuers) || issuers.length > 0) return []
  return [{ path, message: 'needs at least one issuer while mode is on', absence: true }]
}

const directoryNeedsTokens: Rule = ({ value }) => {
  const path = ['plugins', 'tenant-injector', 'webhook']
  if (textAt(value, [...TOKEN_VALIDATOR, 'mode']) !== 'off' || !isPresent(value, path)) return []
  const message =
    'cannot stand beside token-validator mode off, which knows nobody to look up, so that every request would be refused'
  return [{ path, message }]
}

/** Without tokens only the header names a tenant: the file must say that this is meant. */
const headerTrustedWithoutTokens: Rule = ({ value }) => {
  const path = ['plugins', 'tenant-injector', 'trust_header']
  if (textAt(value, [...TOKEN_VALIDATOR, 'mode']) !== 'off' || valueAt(value, path) === 'everyone') return []
  const message =
    'must be everyone while token-validator has mode off, because then only the header names a tenant'
  return [{ path, message, absence: !isPresent(value, path) }]
}

const oneKindOfServiceAccount: Rule = (draft) =>
  issuersOf(draft).flatMap((issuer) => {
    const path = [...issuer, 'service_accounts']
    const whole = valueAt(draft.value, [...issuer, 'service_account']) === true
    return whole && isPresent(draft.value, path)
      ? [
          {
            path,
            message:
              'cannot stand beside service_account: true, which makes every token of the issuer a service account',
          },
        ]
      : []
  })

const oneKeySource: Rule = (draft) =>
  issuersOf(draft).flatMap((issuer) => {
    const path = [...issuer, 'jwks_file']
    const both = isPresent(draft.value, [...issuer, 'jwks_uri']) && isPresent(draft.value, path)
    return both ? [{ path, message: 'cannot stand beside jwks_uri, only one of them may' }] : []
  })

const sharedSecretBothWays: Rule = ({ value, ...draft }) =>
  issuersOf({ value, ...draft }).flatMap((issuer): RuleFinding[] => {
    const algorithms = entriesAt(value, [...issuer, 'algorithms'])
    const listed = algorithms.find((path) => valueAt(value, path) === 'HS256')
    const [secret, other] = [
      [...issuer, 'hs256_secret'],
      [...issuer, 'hs256_secret_file'],
    ]
    const given = [secret, other].find((path) => isPresent(value, path))
    if (isPresent(value, secret) && isPresent(value, other))
      return [{ path: other, message: 'cannot stand beside hs256_secret, only one of them may' }]
    if (listed !== undefined && given === undefined)
      return [{ path: listed, message: 'HS256 needs hs256_secret', absence: true }]
    if (listed === undefined && given !== undefined)
      return [{ path: given, message: 'needs HS256 in algorithms', absence: true }]
    return []
  })

/** Without a key source the keys come from OIDC discovery, at the issuer's own URL. */
const discoveryNeedsUrl: Rule = ({ value, ...draft }) =>
  issuersOf({ value, ...draft }).flatMap((issuer) => {
    if (
      ['jwks_uri', 'jwks_file', 'hs256_secret', 'hs256_secret_file', 'introspection'].some((key) =>
        isPresent(value, [...issuer, key]),
      )
    )
      return []
    const path = [...issuer, 'issuer']
    const name = textAt(value, path)
    if (name === undefined || name === '' || checkHttpUrl(name) === undefined) return []
    return [
      {
        path,
        message: 'must be an http or https URL when neither jwks_uri nor jwks_file is given',
        absence: true,
      },
    ]
  })

/** Case does not tell headers apart: of two values the server might read either. */
const oneValueForEachHeader: Rule = (draft) =>
  ['tenant-injector', 'license-check'].flatMap((plugin) => {
    const paths = ['headers', 'headers_files'].flatMap((key) => {
      const path = ['plugins', plugin, 'webhook', key]
      const headers = valueAt(draft.value, path)
      return isMap(headers) ? Object.keys(headers as object).map((name) => [...path, name]) : []
    })
    return findRepeats(paths, (path) => path.at(-1)?.toLowerCase()).map(({ entry, first }) => ({
      path: entry,
      message: `is the same header as ${first.slice(-2).join('.')} on line ${draft.lineOf(first)}`,
    }))
  })

const oneMatcher: Rule = (draft) =>
  sanitizeRulesOf(draft).flatMap((rule) => exactlyOneOf(draft, rule, ['builtin', 'regex', 'keywords']))

const oneSource: Rule = (draft) =>
  attributesOf(draft).flatMap((attribute) =>
    exactlyOneOf(draft, attribute, ['from_header', 'from_claim', 'from_route_id']),
  )

/** The only fault that the specification calls a failed initialisation (Events, failure modes; decision 33). */
const collectorForOtlp: Rule = ({ value }) => {
  if (textAt(value, [...AUDIT, 'exporter']) !== 'otlp' || valueAt(value, [...AUDIT, 'enabled']) === false)
    return []
  const path = [...AUDIT, 'otlp_endpoint']
  const endpoint = valueAt(value, path)
  if (endpoint !== undefined && endpoint !== '') return []
  return [
    {
      path,
      message: 'is required when exporter is otlp',
      kind: 'initialisation',
      absence: endpoint === undefined,
    },
  ]
}

/** Only the exporter that writes a file has one, and only sealed files have checkpoints to keep elsewhere. */
const fileForExporter: Rule = ({ value }) => {
  const isFile = textAt(value, [...AUDIT, 'exporter']) === 'file'
  const [file, seal, ...kept] = [
    [...AUDIT, 'file'],
    [...AUDIT, 'seal'],
    [...AUDIT, 'anchor'],
    [...AUDIT, 'head_file'],
  ] as const
  if (isFile && !isPresent(value, file))
    return [{ path: file, message: 'is required when exporter is file', absence: true }]
  if (!isFile)
    return [file, seal, ...kept]
      .filter((path) => isPresent(value, path))
      .map((path) => ({ path, message: 'needs exporter: file' }))
  if (isPresent(value, seal)) return []
  return kept
    .filter((path) => isPresent(value, path))
    .map((path) => ({ path, message: 'needs seal: only a sealed file has checkpoints', absence: true }))
}

const customPluginsOf = ({ value }: Draft) => entriesAt(value, ['plugins', 'custom'])

const pluginRules: readonly Rule[] = [
  someIssuer,
  directoryNeedsTokens,
  headerTrustedWithoutTokens,
  oneKindOfServiceAccount,
  uniqueTexts(issuersOf, 'issuer', 'issuer'),
  oneKeySource,
  sharedSecretBothWays,
  discoveryNeedsUrl,
  oneValueForEachHeader,
  uniqueTexts(sanitizeRulesOf, 'name', 'rule name'),
  oneMatcher,
  uniqueTexts(attributesOf, 'field', 'field'),
  oneSource,
  collectorForOtlp,
  fileForExporter,
  uniqueTexts(customPluginsOf, 'name', 'plugin name'),
]
