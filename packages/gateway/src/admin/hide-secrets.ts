const HIDDEN = '[hidden]'
const SECRET_KEY = /secret|password|passphrase|credential|api_?key|private|redis_url/i
/** Maps whose every value may be a credential. */
const SECRET_MAPS = ['headers']
/** URLs of webhooks: with many services the path is the credential. */
const SECRET_PATHS = ['url']

/** A copy of a configuration without its secrets. */
export function hideSecrets(value: unknown, key = ''): unknown {
  if (SECRET_KEY.test(key) && value !== undefined) return HIDDEN
  if (typeof value === 'string') return hideInUrl(value, SECRET_PATHS.includes(key))
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item))
  if (typeof value !== 'object' || value === null) return value
  const isSecretMap = SECRET_MAPS.includes(key)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecretMap ? HIDDEN : hideSecrets(inner, name)]),
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

/** A URL may have credentials before the host, in the query or in the path. Placeholders such as `{tenant}` are shown. */
function hideInUrl(text: string, isPathSecret: boolean): string {
  const [, scheme, authority = '', path = '', query] = URL_PARTS.exec(text) ?? []
  if (scheme === undefined) return text
  const host = authority.replace(/^.*@/s, `${HIDDEN}@`)
  const shownPath = isPathSecret ? path.split('/').map(hideText).join('/') : path
  const shownQuery = query === undefined ? '' : `?${query.split('&').map(hideParameter).join('&')}`
  return `${scheme}${host}${shownPath}${shownQuery}`
}

/** A parameter without a name may itself be a credential. */
function hideParameter(parameter: string): string {
  const [name = '', ...value] = parameter.split('=')
  return value.length === 0 ? hideText(name) : `${name}=${hideText(value.join('=')) || HIDDEN}`
}

function hideText(text: string): string {
  return text === '' || PLACEHOLDER.test(text) ? text : HIDDEN
}
