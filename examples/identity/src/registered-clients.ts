import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AdapterPayload, errors } from 'oidc-provider'
import type { ClientStore } from './entry-store.ts'
import { writeWhole } from './signing-keys.ts'

const MAX_CLIENTS = 200
const MAX_REDIRECTS = 10
const MAX_URI_LENGTH = 512
const MAX_NAME_LENGTH = 100
const LOOPBACKS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])
const FORBIDDEN_SCHEMES = /^(javascript|vbscript|data|blob|file|about|view-source|ftp|wss?|https?):$/
// URL parsers drop blanks and line ends and read backslashes as slashes, browsers not always in the same way.
const PLAIN_URI = /^[\x21-\x5b\x5d-\x7e]+$/
// The name becomes a part of the Content-Security-Policy.
const HOST_NAME = /^[a-z0-9.-]+$/
const AUTH_METHODS: ReadonlySet<unknown> = new Set(['none', 'client_secret_basic', 'client_secret_post'])
// Each of these has the server fetch or believe something that the client names.
const FORBIDDEN = ['jwks', 'jwks_uri', 'sector_identifier_uri', 'request_uris', 'software_statement'] as const

/** The metadata of a client that registers itself (RFC 7591), reduced to what a sign-in needs. */
export function acceptedMetadata(body: unknown): Record<string, unknown> {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const named = FORBIDDEN.find((key) => given[key] !== undefined)
  if (named !== undefined) throw new errors.InvalidClientMetadata(`${named} is not supported`)
  const { client_name: name, token_endpoint_auth_method: method = 'none' } = given
  if (name !== undefined && !isPlainName(name))
    throw new errors.InvalidClientMetadata(
      `client_name has to be 1 to ${MAX_NAME_LENGTH} printable characters`,
    )
  if (!AUTH_METHODS.has(method))
    throw new errors.InvalidClientMetadata(
      `token_endpoint_auth_method has to be one of ${[...AUTH_METHODS].join(', ')}`,
    )
  return {
    redirect_uris: acceptedRedirects(given['redirect_uris']),
    ...(name !== undefined && { client_name: name }),
    token_endpoint_auth_method: method,
    // RFC 8252 7.3: a program listens on any free port of the loopback address.
    application_type: 'native',
    grant_types: ['authorization_code'],
    response_types: ['code'],
  }
}

/** Control characters and marks of direction could make the sign-in page show another name. */
function isPlainName(name: unknown): boolean {
  return typeof name === 'string' && name.length <= MAX_NAME_LENGTH && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name)
}

function acceptedRedirects(given: unknown): string[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_REDIRECTS)
    throw new errors.InvalidClientMetadata(
      `redirect_uris has to be a list of 1 to ${MAX_REDIRECTS} addresses`,
    )
  const accepted = given.filter(isWebAddress)
  if (accepted.length === 0) throw new errors.InvalidClientMetadata(`redirect_uris ${EXPECTED}`)
  return accepted
}

// oidc-provider gives descriptions that begin with `redirect_uris` the error `invalid_redirect_uri`.
const EXPECTED = 'have to be https addresses, or http addresses of this machine'

/**
 * Whether a code can be sent to an address; throws for one that is forbidden. Programs register their own scheme beside a
 * loopback address (RFC 8252 7.1), which is no reason to refuse them.
 */
function isWebAddress(uri: unknown): uri is string {
  const url = typeof uri === 'string' && uri.length <= MAX_URI_LENGTH ? URL.parse(uri) : null
  const isPlain = typeof uri === 'string' && PLAIN_URI.test(uri) && url?.href.includes('#') === false
  if (url === null || url.username !== '' || url.password !== '' || !isPlain)
    throw new errors.InvalidClientMetadata(`redirect_uris ${EXPECTED}`)
  const { protocol, hostname } = url
  const isLoopback = LOOPBACKS.has(hostname)
  if (protocol === 'https:' && !isLoopback && HOST_NAME.test(hostname)) return true
  if (protocol === 'http:' && isLoopback) return true
  if (FORBIDDEN_SCHEMES.test(protocol)) throw new errors.InvalidClientMetadata(`redirect_uris ${EXPECTED}`)
  return false
}

/** Opens the store of registered clients: a file in the folder, or memory without a folder. The oldest of too many leave. */
export async function openClientStore(folder: string | undefined): Promise<ClientStore> {
  const file = folder === undefined ? undefined : join(folder, 'clients.json')
  const clients = new Map<string, AdapterPayload>(await readClients(file))
  let written: Promise<void> = Promise.resolve()
  return {
    find: (id) => clients.get(id),
    async add(id, client) {
      clients.set(id, client)
      for (const oldest of clients.keys()) {
        if (clients.size <= MAX_CLIENTS) break
        clients.delete(oldest)
      }
      if (folder === undefined || file === undefined) return
      const text = JSON.stringify([...clients])
      // One after the other, so that the file has the newest clients at the end.
      written = written.then(async () => {
        await mkdir(folder, { recursive: true })
        await writeWhole(file, text)
      })
      await written
    },
  }
}

/** A file that is missing or damaged means no clients: they register again. */
async function readClients(file: string | undefined): Promise<[string, AdapterPayload][]> {
  if (file === undefined) return []
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return []
  }
}
