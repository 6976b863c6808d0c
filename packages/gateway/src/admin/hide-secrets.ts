import { configSchema } from '../config/config-schema.ts'
import type { Path } from '../config/faults.ts'
import { type KeySchema, type Mark, mapLeaves, schemaAt } from '../config/schema/marks.ts'

const HIDDEN = '[hidden]'

/** Who reads a configuration: operators see all but secrets, viewers only the origins of addresses and no text of rules. */
export type Reader = 'viewer' | 'operator'

interface HideOptions {
  readonly reader: Reader
  /** The schema of the value, when it is not the one at `path`. */
  readonly schema?: KeySchema | undefined
}

/** A copy of a part of the configuration without its secrets; `path` is its place there. What has no schema is hidden. */
export function hideSecrets<Value>(
  value: Value,
  path: Path,
  { reader, schema = schemaAt(configSchema, path) }: HideOptions,
): Value {
  return mapLeaves(value, { schema, path }, ({ value, mark }) => {
    if (isHidden(mark, reader)) return HIDDEN
    return typeof value === 'string' ? hideInText(value, mark, reader) : value
  })
}

function isHidden(mark: Mark | undefined, reader: Reader): boolean {
  switch (mark?.type) {
    case 'secret':
      return mark.part !== 'parameters'
    case 'file':
      return mark.content !== undefined
    case 'shown':
      return mark.to === 'operators' && reader === 'viewer'
    case undefined:
      return false
  }
}

/** A text may be an address. */
function hideInText(text: string, mark: Mark | undefined, reader: Reader): string {
  const isName = mark?.type === 'shown' && mark.to === 'everybody'
  if (reader === 'viewer' && !isName) return originOnly(text)
  return hideInUrl(text, mark?.type === 'secret')
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

/** A URL may have credentials before the host, in the query or, with many services, in the path. Placeholders such as `{tenant}` are shown. */
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
