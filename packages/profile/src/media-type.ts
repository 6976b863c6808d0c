import { VENDOR_PREFIX } from './outcomes.ts'

/** A parsed media type: `essence` is `type/subtype` in lower case, parameter names are in lower case. */
export interface MediaType {
  readonly essence: string
  readonly parameters: ReadonlyMap<string, string>
}

// RFC 9110 5.6.2: the characters of a token. No nested repetition; the header limit bounds the length.
const ESSENCE = /^[!#$%&'*+\-.^_`|~0-9a-z]+\/[!#$%&'*+\-.^_`|~0-9a-z]+$/
const PARAMETER = /;[ \t]*(?:([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^;"\s]*)))?[ \t]*/

/** Parses a `Content-Type` value; returns `undefined` for an invalid one. */
export function parseMediaType(value: string | undefined): MediaType | undefined {
  const essence = mediaTypeEssence(value)
  if (value === undefined || essence === undefined) return undefined
  const start = value.indexOf(';')
  const parameters = start === -1 ? new Map<string, string>() : parseParameters(value, start)
  return parameters && { essence, parameters }
}

/** The essence of a `Content-Type` value, for comparisons. */
export function mediaTypeEssence(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const end = value.indexOf(';')
  const essence = trimBlanks(end === -1 ? value : value.slice(0, end)).toLowerCase()
  return ESSENCE.test(essence) ? essence : undefined
}

/** Only blanks and tabs count as white space here (RFC 9110, section 5.6.3). */
function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '')
}

/** Whether an essence is a media type of JSON. */
export function isJsonType(essence: string | undefined): boolean {
  return essence === 'application/json' || (essence?.endsWith('+json') ?? false)
}

/** Whether an essence is a media type of the profile. */
export function isVendorType(essence: string | undefined): boolean {
  return essence?.startsWith(VENDOR_PREFIX) ?? false
}

function parseParameters(value: string, start: number): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  // A sticky expression has state, so each call creates one.
  const parameter = new RegExp(PARAMETER, 'y')
  parameter.lastIndex = start
  while (parameter.lastIndex < value.length) {
    const match = parameter.exec(value)
    if (match === null) return undefined
    const [, name, quoted, plain = ''] = match
    if (name === undefined) continue
    const key = name.toLowerCase()
    // The first parameter wins, so that a second one cannot change an earlier decision.
    if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain)
  }
  return parameters
}
