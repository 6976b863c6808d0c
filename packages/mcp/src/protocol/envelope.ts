import { acceptsType, headerValue, isObject, type JsonObject } from '@agentic-rest/profile'
import { objectAt, textAt } from '../json-value.ts'
import type { McpRequest } from './http.ts'
import { invalidParams, type RpcError, type RpcRequest, rpcCodes } from './json-rpc.ts'
import { MODERN_VERSION } from './versions.ts'

/** The members of `_meta` that every request of 2026-07-28 has. */
export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const

/** The HTTP headers of 2026-07-28. */
export const mcpHeaders = {
  version: 'mcp-protocol-version',
  method: 'mcp-method',
  name: 'mcp-name',
  session: 'mcp-session-id',
} as const

// The header `Mcp-Name` repeats this parameter, so that proxies can route without reading bodies.
const nameSources: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** The fault of a request of 2026-07-28: in its `_meta`, its version, or its headers. */
export function envelopeFault(
  request: McpRequest,
  message: RpcRequest,
  supported: readonly string[],
): RpcError | undefined {
  return metaError(message) ?? versionError(request, message, supported) ?? headerError(request, message)
}

/** Whether a message claims the revision: only this one member of `_meta` counts. */
export function claimsModern(params: JsonObject): boolean {
  return Object.hasOwn(objectAt(params, '_meta'), metaKeys.version)
}

/** Whether a text is the date of this or a later revision. */
export function namesModern(version: string | undefined): version is string {
  return version !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= MODERN_VERSION
}

/** Whether an event stream may be the answer. */
export function acceptsStream({ headers }: McpRequest): boolean {
  const accept = headerValue(headers, 'accept')
  return accept === undefined || acceptsType(accept, 'text/event-stream', { wildcards: true })
}

function metaError({ params }: RpcRequest): RpcError | undefined {
  const meta = params['_meta']
  if (!isObject(meta)) return missing('_meta')
  if (typeof meta[metaKeys.version] !== 'string') return missing(metaKeys.version)
  return isObject(meta[metaKeys.capabilities]) ? undefined : missing(metaKeys.capabilities)
}

function missing(key: string): RpcError {
  return invalidParams(`Invalid params: the request is missing ${key}`, { envelope: { missing: [key] } })
}

function versionError(
  { headers }: McpRequest,
  { params }: RpcRequest,
  supported: readonly string[],
): RpcError | undefined {
  const claimed = textAt(objectAt(params, '_meta'), metaKeys.version) ?? ''
  const header = headerOf(headers, mcpHeaders.version)
  if (header !== undefined && header !== claimed)
    return mismatch(`MCP-Protocol-Version is not the version of the body`)
  if (claimed === MODERN_VERSION) return undefined
  return unsupportedVersion(claimed, supported)
}

/** The error for a revision that is not spoken here. */
export function unsupportedVersion(requested: string | undefined, supported: readonly string[]): RpcError {
  const data = { supported, ...(requested !== undefined && { requested: requested.slice(0, 64) }) }
  return { code: rpcCodes.unsupportedVersion, message: 'Unsupported protocol version', data }
}

function headerError({ headers }: McpRequest, { method, params }: RpcRequest): RpcError | undefined {
  if (headerOf(headers, mcpHeaders.version) === undefined) return mismatch('MCP-Protocol-Version is missing')
  const named = headerOf(headers, mcpHeaders.method)
  if (named === undefined) return mismatch('Mcp-Method is missing')
  if (named !== method) return mismatch('Mcp-Method is not the method of the body')
  const source = nameSources.get(method)
  const wanted = source === undefined ? undefined : textAt(params, source)
  if (wanted === undefined) return undefined
  const header = headerOf(headers, mcpHeaders.name)
  if (header === undefined) return mismatch('Mcp-Name is missing')
  return decoded(header) === wanted ? undefined : mismatch(`Mcp-Name is not the ${source} of the body`)
}

/** The error for headers that say something else than the body. */
export function mismatch(message: string): RpcError {
  return { code: rpcCodes.headerMismatch, message: `Header mismatch: ${message}` }
}

/** The value of a header without blanks around it. */
export function headerOf(headers: McpRequest['headers'], name: string): string | undefined {
  return headerValue(headers, name)?.trim()
}

/** The value of `Mcp-Name` for a request; undefined if it has none. */
export function nameHeader(method: string, params: JsonObject): string | undefined {
  const source = nameSources.get(method)
  const name = source === undefined ? undefined : textAt(params, source)
  if (name === undefined || /^(?!=\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name)) return name
  return `=?base64?${Buffer.from(name).toString('base64')}?=`
}

/** Values that are no plain text are sent as `=?base64?…?=`; undefined for an invalid one. */
function decoded(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) return undefined
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? undefined : text
}
