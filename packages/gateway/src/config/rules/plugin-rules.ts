import type { Path } from '../faults.ts'
import { checkHttpUrl } from '../schema/address-checks.ts'
import {
  type Draft,
  entriesAt,
  exactlyOneOf,
  findRepeats,
  isMap,
  isPresent,
  type Rule,
  textAt,
  valueAt,
} from './draft.ts'

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

/** Makes a rule that refuses two list entries with the same text under `key`. */
const uniqueTexts =
  (entriesOf: (draft: Draft) => readonly Path[], key: string, name: string): Rule =>
  (draft) => {
    const paths = entriesOf(draft).map((entry) => [...entry, key])
    return findRepeats(paths, (path) => textAt(draft.value, path)).map(({ entry, first }) => ({
      path: entry,
      message: `duplicate ${name}${draft.show(entry)}, first used on line ${draft.lineOf(first)}`,
    }))
  }

const oneKeySource: Rule = (draft) =>
  issuersOf(draft).flatMap((issuer) => {
    const path = [...issuer, 'jwks_file']
    const both = isPresent(draft.value, [...issuer, 'jwks_uri']) && isPresent(draft.value, path)
    return both ? [{ path, message: 'cannot stand beside jwks_uri, only one of them may' }] : []
  })

const sharedSecretBothWays: Rule = ({ value, ...draft }) =>
  issuersOf({ value, ...draft }).flatMap((issuer) => {
    const algorithms = entriesAt(value, [...issuer, 'algorithms'])
    const listed = algorithms.find((path) => valueAt(value, path) === 'HS256')
    const secret = [...issuer, 'hs256_secret']
    const given = isPresent(value, secret)
    if (listed !== undefined && !given)
      return [{ path: listed, message: 'HS256 needs hs256_secret', absence: true }]
    if (listed === undefined && given)
      return [{ path: secret, message: 'needs HS256 in algorithms', absence: true }]
    return []
  })

/** Without a key source the keys come from OIDC discovery, which starts at the issuer's own URL. */
const discoveryNeedsUrl: Rule = ({ value, ...draft }) =>
  issuersOf({ value, ...draft }).flatMap((issuer) => {
    if (['jwks_uri', 'jwks_file', 'hs256_secret'].some((key) => isPresent(value, [...issuer, key]))) return []
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

const oneMatcher: Rule = (draft) =>
  sanitizeRulesOf(draft).flatMap((rule) => exactlyOneOf(draft, rule, ['builtin', 'regex', 'keywords']))

const oneSource: Rule = (draft) =>
  attributesOf(draft).flatMap((attribute) =>
    exactlyOneOf(draft, attribute, ['from_header', 'from_claim', 'from_route_id']),
  )

/** The one fault that the specification calls a failed initialisation (Events, failure modes; decision 33). */
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

/** Rules that tie the keys of a plugin to each other. */
export const pluginRules: readonly Rule[] = [
  someIssuer,
  directoryNeedsTokens,
  uniqueTexts(issuersOf, 'issuer', 'issuer'),
  oneKeySource,
  sharedSecretBothWays,
  discoveryNeedsUrl,
  uniqueTexts(sanitizeRulesOf, 'name', 'rule name'),
  oneMatcher,
  uniqueTexts(attributesOf, 'field', 'field'),
  oneSource,
  collectorForOtlp,
]
