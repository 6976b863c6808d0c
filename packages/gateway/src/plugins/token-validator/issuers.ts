import { createSecretKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { IssuerOptions } from '../../config/config-schema.ts'
import { keySourceOf } from '../../config/key-source.ts'
import { checkHttpUrl } from '../../config/schema/address-checks.ts'
import { readSecret } from '../../config/secret-files.ts'
import { InitialisationError } from '../../errors.ts'
import type { PipelineContext } from '../../plugin.ts'
import { type IntrospectionServer, serverOf } from './introspection-server.ts'
import { createFixedKeySource, type KeySet, type KeySource, parseKeySet } from './key-set.ts'
import { createRemoteKeySet, fetchKeyDocument } from './remote-key-set.ts'
import { signatureKey } from './verify-signature.ts'

/** A registered issuer with its keys and its rules for tokens. */
export interface Issuer {
  readonly name: string
  /** The keys by allowed algorithm; any other algorithm has no key. */
  readonly keys: ReadonlyMap<string, KeySource>
  readonly tokenTypes: ReadonlySet<string>
  /** Empty means any. */
  readonly audiences: ReadonlySet<string>
  readonly claims: IssuerOptions['claims']
  /** The server that is asked about its tokens, if there is one. */
  readonly introspectionServer: IntrospectionServer | undefined
  /** All its tokens are service accounts. */
  readonly serviceAccount: boolean
  /** Its service accounts, told from people by a claim. */
  readonly serviceAccounts: ServiceAccounts | undefined
}

interface ServiceAccounts {
  readonly claim: string
  readonly values: ReadonlySet<unknown>
  /** `undefined` means all. */
  readonly tenants: ReadonlySet<string> | undefined
}

/** The issuers by the value of `iss`. */
export type Issuers = ReadonlyMap<string, Issuer>

/** Creates the issuers and starts to fetch their keys, without waiting for them. */
export function createIssuers(options: readonly IssuerOptions[], context: PipelineContext): Issuers {
  if (new Set(options.map(({ issuer }) => issuer)).size < options.length)
    throw new InitialisationError('an issuer is configured twice')
  // Everything that can fail comes before the first remote key set: nothing would stop its timers after a failure.
  const prepared = options.map((issuer, index) => ({
    issuer,
    files: { keyFile: prepareIssuer(issuer, context), introspectionServer: prepareServer(issuer, index) },
  }))
  return new Map(prepared.map(({ issuer, files }) => [issuer.issuer, createIssuer(issuer, files, context)]))
}

/** The distinct key sources of an issuer. */
export function keySourcesOf({ keys }: Issuer): ReadonlySet<KeySource> {
  return new Set(keys.values())
}

/** Normalises a `typ` for comparison: lower case, without `application/` (RFC 7515, section 4.1.9). */
export function normaliseTokenType(type: string): string {
  const lowered = type.toLowerCase()
  return lowered.startsWith('application/') ? lowered.slice('application/'.length) : lowered
}

/** Refuses an issuer that could accept no token; reads its key file. */
export function prepareIssuer(
  options: IssuerOptions,
  { baseFolder }: Pick<PipelineContext, 'baseFolder'>,
): KeySet | undefined {
  const { issuer, algorithms, hs256_secret, jwks_file } = options
  if (algorithms.includes('HS256') && hs256_secret === undefined)
    throw new InitialisationError(`issuer ${issuer}: HS256 needs hs256_secret`)
  if (keySourceOf(options) === 'discovery' && checkHttpUrl(issuer) !== undefined)
    throw new InitialisationError(`issuer ${issuer}: without jwks_uri or jwks_file it must be a URL`)
  return jwks_file === undefined ? undefined : readKeyFile(resolve(baseFolder, jwks_file), options)
}

/** Reads the secret for the introspection of an issuer's tokens. */
export function prepareServer(
  { introspection }: IssuerOptions,
  index: number,
): IntrospectionServer | undefined {
  if (introspection === undefined) return undefined
  const key = `plugins.token-validator.issuers[${index}].introspection.client_secret_file`
  return serverOf(introspection, readSecret(introspection.client_secret_file, key))
}

interface IssuerFiles {
  readonly keyFile: KeySet | undefined
  readonly introspectionServer: IntrospectionServer | undefined
}

function createIssuer(
  options: IssuerOptions,
  { keyFile, introspectionServer }: IssuerFiles,
  context: PipelineContext,
): Issuer {
  return {
    name: options.issuer,
    keys: createKeys(options, keyFile, context),
    tokenTypes: new Set(options.token_types.map(normaliseTokenType)),
    audiences: new Set(options.audience),
    claims: options.claims,
    introspectionServer,
    serviceAccount: options.service_account,
    serviceAccounts: options.service_accounts && readServiceAccounts(options.service_accounts),
  }
}

function readServiceAccounts({
  claim,
  values,
  tenants,
}: NonNullable<IssuerOptions['service_accounts']>): ServiceAccounts {
  return { claim, values: new Set(values), tenants: tenants && new Set(tenants) }
}

function createKeys(
  options: IssuerOptions,
  keyFile: KeySet | undefined,
  context: PipelineContext,
): ReadonlyMap<string, KeySource> {
  const keys = new Map<string, KeySource>()
  const asymmetric = options.algorithms.filter((algorithm) => algorithm !== 'HS256')
  if (keySourceOf(options) !== 'none') {
    const published =
      keyFile === undefined ? createRemoteKeys(options, context) : createFixedKeySource(keyFile.select)
    for (const algorithm of asymmetric) keys.set(algorithm, published)
  }
  if (asymmetric.length < options.algorithms.length) keys.set('HS256', createSharedSecret(options))
  return keys
}

function createSharedSecret({ hs256_secret = '' }: IssuerOptions): KeySource {
  const keys = [signatureKey(createSecretKey(hs256_secret, 'utf8'))]
  return createFixedKeySource(() => keys)
}

/** A reload keeps the keys of an unchanged issuer, so that it needs no fetch, even during an outage (F11). */
function createRemoteKeys(
  { issuer, jwks_uri: jwksUri }: IssuerOptions,
  { http, log, hold }: PipelineContext,
): KeySource {
  const load = () => fetchKeyDocument(http, { issuer, jwksUri })
  const key = JSON.stringify([issuer, jwksUri ?? null])
  const { value, release } = hold(key, () => createRemoteKeySet({ issuer, load, log }))
  return { ...value, close: () => void release() }
}

function readKeyFile(path: string, { issuer, algorithms }: IssuerOptions): KeySet {
  const keys = parseKeyFile(path, issuer)
  const usable = algorithms.some((algorithm) => keys.select({ kid: undefined, algorithm }).length > 0)
  if (!usable)
    throw new InitialisationError(`issuer ${issuer}: jwks_file has no public key for the allowed algorithms`)
  return keys
}

function parseKeyFile(path: string, issuer: string): KeySet {
  try {
    return parseKeySet(readFileSync(path))
  } catch (cause) {
    throw new InitialisationError(`issuer ${issuer}: jwks_file cannot be read`, { cause })
  }
}
