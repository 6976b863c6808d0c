import { fillTemplate, type InputLocation, isObject, type JsonObject } from '@agentic-rest/profile'
import { isOwnedHeader, KEY_ARGUMENT } from '../catalogue/read-tool.ts'
import { type CatalogueTool, hasEffect } from '../catalogue/tool.ts'
import type { InputAnswer } from './form.ts'

/** The request of a tool: path, query, headers and body, made of arguments and answers. */
export interface ToolRequest {
  readonly type: 'request'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** A request that cannot be made of the arguments. */
export type NoRequest =
  | { readonly type: 'unknown_argument'; readonly name: string }
  /** A path parameter without a value: the caller is asked for it. */
  | { readonly type: 'missing'; readonly name: string; readonly question: string }
  /** A value that cannot be part of a path or a header. */
  | { readonly type: 'invalid'; readonly name: string; readonly message: string }

/** The values of a request by location. */
class Values {
  readonly path = new Map<string, unknown>()
  readonly query = new Map<string, unknown>()
  readonly header = new Map<string, unknown>()
  readonly body = new Map<string, unknown>()
  whole: { readonly value: unknown } | undefined

  set(location: InputLocation, name: string, value: unknown): void {
    if (location === 'body' && name === '') this.whole = { value }
    else this[location].set(name, value)
  }
}

/** Makes the request of a tool. Answers to questions override arguments. */
export function toolRequest(
  tool: CatalogueTool,
  given: JsonObject,
  answers: readonly InputAnswer[],
): ToolRequest | NoRequest {
  const values = new Values()
  for (const [argument, value] of Object.entries(given)) {
    if (tool.route.mcp.idempotencyArgument === true && argument === KEY_ARGUMENT) continue
    const place = tool.places.get(argument)
    const location = place?.location ?? tool.additional
    // The empty name is that of a whole body.
    if (location === undefined || (place === undefined && argument === ''))
      return { type: 'unknown_argument', name: argument }
    values.set(location, place?.name ?? argument, value)
  }
  for (const { location, name, value } of answers)
    values.set(location, wholeBody(tool, location, name), value)
  return fill(tool, values)
}

/** A question about the body as a whole names the argument. */
function wholeBody(tool: CatalogueTool, location: InputLocation, name: string): string {
  const place = tool.places.get(name)
  return location === 'body' && place?.location === 'body' && place.name === '' ? '' : name
}

function fill(tool: CatalogueTool, values: Values): ToolRequest | NoRequest {
  const segments: string[] = []
  for (const name of tool.pathParameters) {
    const segment = segmentOf(values.path.get(name))
    if (segment === undefined) return missingParameter(tool, name)
    if (!isSegment(segment)) return { type: 'invalid', name, message: 'is not a path segment' }
    segments.push(segment)
  }
  // Names differ between the template and the document; the order does not.
  const path = fillTemplate(tool.route.path, (_name, index) => segments[index] ?? '')
  const header = headersOf(values.header)
  if (!isObject(header)) return { type: 'invalid', name: header, message: 'cannot be the value of a header' }
  const target = path + queryOf(values.query)
  const length = Object.entries(header).flat().join('').length + target.length
  if (length > MAX_HEAD_LENGTH) {
    const message = `are too long: at most ${MAX_HEAD_LENGTH} characters fit outside the body`
    return { type: 'invalid', name: 'arguments', message }
  }
  return {
    type: 'request',
    path: target,
    headers: header as Readonly<Record<string, string>>,
    body: bodyOf(tool, values),
  }
}

function segmentOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/**
 * Whether a text can be one segment of a path. Servers resolve dots, some of them before a semicolon, and slashes, so that
 * another route would be called. The gateway refuses such a path too, but cannot name the argument.
 */
function isSegment(text: string): boolean {
  return text.isWellFormed() && !/[/\\\p{Cc}]|^\.\.?(?:;|$)/u.test(text)
}

function missingParameter(tool: CatalogueTool, name: string): NoRequest {
  const properties = tool.definition.inputSchema['properties']
  const schema = isObject(properties) ? properties[name] : undefined
  const description = isObject(schema) ? schema['description'] : undefined
  return { type: 'missing', name, question: typeof description === 'string' ? description : `Which ${name}?` }
}

function queryOf(values: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of values) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) query.append(name, plainText(each))
    }
  }
  return query.size === 0 ? '' : `?${query}`
}

function plainText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

// Servers cut the connection above 16 KiB. The gateway would take that for a failure of the service.
const MAX_HEAD_LENGTH = 8192
// Visible characters of latin1, blanks and tabs (RFC 9110 5.5).
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/

/** The headers, or the name of the one that cannot be sent. */
function headersOf(values: ReadonlyMap<string, unknown>): Readonly<Record<string, string>> | string {
  const result: Record<string, string> = {}
  for (const [name, value] of values) {
    if (value === undefined || value === null) continue
    const text = plainText(value)
    if (!HEADER_NAME.test(name) || isOwnedHeader(name) || !HEADER_VALUE.test(text)) return name
    result[name] = text
  }
  return result
}

function bodyOf({ route }: CatalogueTool, { body, whole }: Values): string | undefined {
  if (whole !== undefined) return JSON.stringify(whole.value)
  if (body.size === 0) return hasEffect(route.method) && route.method !== 'DELETE' ? '{}' : undefined
  return JSON.stringify(Object.fromEntries(body))
}
