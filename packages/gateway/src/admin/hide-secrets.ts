const HIDDEN = '[hidden]'
const SECRET_KEY = /secret|password|passphrase|credential|api_?key|private/i
/** Maps whose every value may be a credential. */
const SECRET_MAPS = ['headers']

/** A copy of a configuration in which nothing is left that must not be shown. */
export function hideSecrets(value: unknown, key = ''): unknown {
  if (SECRET_KEY.test(key) && value !== undefined) return HIDDEN
  if (typeof value === 'string') return hideInUrl(value)
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item))
  if (typeof value !== 'object' || value === null) return value
  const isSecretMap = SECRET_MAPS.includes(key)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecretMap ? HIDDEN : hideSecrets(inner, name)]),
  )
}

const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^?#]*)(\?[^#]*)?/i
const PLACEHOLDER = /^\{\w+\}$/

/** Addresses may carry a credential before the host or a key in the query; what is filled in later may be shown. */
function hideInUrl(text: string): string {
  const [, scheme, rest = '', query = ''] = URL_PARTS.exec(text) ?? []
  if (scheme === undefined) return text
  const hasUser = text.slice(scheme.length).split(/[/?#]/, 1)[0]?.includes('@') === true
  return `${scheme}${hasUser ? `${HIDDEN}@` : ''}${rest}${query.replace(/=([^&]*)/g, hideValue)}`
}

function hideValue(whole: string, value: string): string {
  return PLACEHOLDER.test(value) ? whole : `=${HIDDEN}`
}
