import { entriesAt, isMap, isPresent, type Rule, textAt, valueAt } from './draft.ts'
import type { Path } from './faults.ts'
import { isLoopback, isPlainToAnotherHost } from './schema/address-checks.ts'
import { pathShape, SIGN_IN_PATHS } from './schema/path-template.ts'

const SIGN_IN: Path = ['gateway', 'sign_in']
const ISSUER: Path = [...SIGN_IN, 'issuer']

const knownIssuer: Rule = ({ value }) => {
  const issuer = textAt(value, ISSUER)
  if (issuer === undefined) return []
  const listed = entriesAt(value, ['plugins', 'token-validator', 'issuers'])
  if (listed.some((path) => textAt(value, [...path, 'issuer']) === issuer)) return []
  return [{ path: ISSUER, message: 'must be one of plugins.token-validator.issuers, written as there' }]
}

/** The origins that browsers use, by the listener. */
const listeners: readonly { readonly listener: Path; readonly url: Path }[] = [
  { listener: ['gateway'], url: [...SIGN_IN, 'public_url'] },
  { listener: ['gateway', 'admin'], url: ['gateway', 'admin', 'public_url'] },
]

const reachableOrigin: Rule = ({ value }) =>
  isMap(valueAt(value, SIGN_IN))
    ? listeners.flatMap(({ listener, url }) => {
        if (!isPresent(value, listener) || isPresent(value, url)) return []
        if (isLoopback(textAt(value, [...listener, 'host']) ?? '127.0.0.1')) return []
        const message = 'is needed for signing in, because the listener is not on a loopback address'
        return [{ path: url, message, absence: true }]
      })
    : []

/** A cookie or a token on plain http could be read on the way. */
const noPlainHttp: Rule = ({ value }) =>
  [ISSUER, ...listeners.map(({ url }) => url)]
    .filter((path) => isPlainToAnotherHost(textAt(value, path) ?? ''))
    .map((path) => ({ path, message: 'must begin with https:// unless it is a loopback address' }))

/** Both listeners have the same paths and the same name of the cookie. */
const twoOrigins: Rule = ({ value }) => {
  const [main, admin] = listeners.map(({ url }) => textAt(value, url))
  if (main === undefined || main !== admin) return []
  const message = 'must be another origin than gateway.sign_in.public_url'
  return [{ path: ['gateway', 'admin', 'public_url'], message }]
}

const ownPaths: Rule = ({ value }) =>
  isPresent(value, SIGN_IN)
    ? entriesAt(value, ['routes'])
        .map((route) => [...route, 'path'])
        .filter((path) => SIGN_IN_PATHS.some((own) => own === pathShape(textAt(value, path) ?? '')))
        .map((path) => ({ path, message: 'is reserved: with gateway.sign_in the gateway answers it itself' }))
    : []

const oneClientSecret: Rule = ({ value }) => {
  const path = [...SIGN_IN, 'client_secret_file']
  const both = isPresent(value, path) && isPresent(value, [...SIGN_IN, 'client_secret'])
  return both ? [{ path, message: 'cannot stand beside client_secret, only one of them may' }] : []
}

const movedKeyFiles: Rule = ({ value }) => {
  const path = ['gateway', 'approvals_page', 'key_files']
  if (!isPresent(value, SIGN_IN) || !isPresent(value, path)) return []
  return [{ path, message: 'has moved to gateway.sign_in.key_files, which seals all sessions' }]
}

/** The rules of `gateway.sign_in`. */
export const signInRules: readonly Rule[] = [
  knownIssuer,
  reachableOrigin,
  noPlainHttp,
  twoOrigins,
  ownPaths,
  oneClientSecret,
  movedKeyFiles,
]
