const HIDDEN = '[hidden]'
const SECRET_KEY = /secret|password|passphrase|credential|api_?key|private|redis_url/i
/** Maps whose every value may be a credential. */
const SECRET_MAPS = ['headers']
/** URLs of webhooks: with many services the path is the credential. */
const SECRET_PATHS = ['url']
/** The text that a rule of prompt-sanitize finds is often the very text that must not spread. */
const OPERATOR_KEYS = ['keywords', 'regex']

/** Who reads a configuration: operators see all but secrets, viewers only the origins of addresses and no text of rules. */
export type Reader = 'viewer' | 'operator'

/** A copy of a configuration without its secrets. */
export function hideSecrets(value: unknown, reader: Reader, key = ''): unknown {
  const isHidden = SECRET_KEY.test(key) || (reader === 'viewer' && OPERATOR_KEYS.includes(key))
  if (isHidden && value !== undefined) return HIDDEN
  if (typeof value === 'string') {
    // The name of an issuer looks like an address, and every token has it.
    if (reader === 'viewer' && key !== 'issuer') return originOnly(value)
    return hideInUrl(value, SECRET_PATHS.includes(key))
  }
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item, reader))
  if (typeof value !== 'object' || value === null) return value
  const isSecretMap = SECRET_MAPS.includes(key)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretMap ? HIDDEN : hideSecrets(inner, reader, name),
    ]),
  )
}

/** A copy of a configuration with its keys and without its values. */
export function hideValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return HIDDEN
  if (Array.isArray(value)) return value.map(hideValues)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hideValues(inner)]))
}

const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i
const PLACEHOLDER = /^\{\w+\}$/

function originOnly(text: string): string {
  const [, scheme, authority = '', path = '', query] = URL_PARTS.exec(text) ?? []
  if (scheme === undefined) return text
  const isBare = (path === '' || path === '/') && query === undefined
  return `${scheme}${hideUser(authority)}${isBare ? '' : `/${HIDDEN}`}`
}

function hideUser(authority: string): string {
  return authority.replace(/^.*@/s, `${HIDDEN}@`)
}

/** A URL may have credentials before the host, in the query or in the path. Placeholders such as `{tenant}` are shown. */
function hideInUrl(text: string, isPathSecret: boolean): string {
  const [, scheme, authority = '', path = '', query] = URL_PARTS.exec(text) ?? []
  if (scheme === undefined) return text
  const shownPath = isPathSecret ? path.split('/').map(hideText).join('/') : path
  const shownQuery = query === undefined ? '' : `?${query.split('&').map(hideParameter).join('&')}`
  return `${scheme}${hideUser(authority)}${shownPath}${shownQuery}`
}

/** A parameter without a name may itself be a credential. */
function hideParameter(parameter: string): string {
  const [name = '', ...value] = parameter.split('=')
  return value.length === 0 ? hideText(name) : `${name}=${hideText(value.join('=')) || HIDDEN}`
}

function hideText(text: string): string {
  return text === '' || PLACEHOLDER.test(text) ? text : HIDDEN
}
