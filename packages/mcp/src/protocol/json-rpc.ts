import { isObject, type JsonObject } from '@agentic-rest/profile'

/** The error codes of JSON-RPC and MCP. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  notAllowed: -32000,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  urlElicitationRequired: -32042,
} as const

/** The error of a JSON-RPC response. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The id of a request. */
export type RpcId = string | number

/** A message in the form of a request: it has an id and wants a response. */
export interface RpcRequest {
  readonly type: 'request'
  readonly id: RpcId
  readonly method: string
  readonly params: JsonObject
}

/** A decoded message. */
export type RpcMessage =
  | RpcRequest
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'response'; readonly id: RpcId; readonly result: JsonObject | undefined }

/** Decodes a message; undefined for a value that is none. */
export function readMessage(value: unknown): RpcMessage | undefined {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined
  const { id, method, params = {}, result, error } = value
  const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id))
  if (typeof method === 'string') {
    if (!isObject(params)) return undefined
    if (hasId) return { type: 'request', id, method, params }
    return id === undefined ? { type: 'notification', method, params } : undefined
  }
  if (!hasId || method !== undefined) return undefined
  if (isObject(error)) return { type: 'response', id, result: undefined }
  return isObject(result) ? { type: 'response', id, result } : undefined
}

/** The id of a request that is not valid otherwise, so that its error can name it. */
export function idOf(value: unknown): RpcId | null {
  const id = isObject(value) && typeof value['method'] === 'string' ? value['id'] : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** The response with a result. */
export function resultMessage(id: RpcId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result }
}

/** The response with an error. */
export function errorMessage(id: RpcId | null, { code, message, data }: RpcError): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}

/** A message that wants no response. */
export function notificationMessage(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: '2.0', method, params }
}

/** The error for parameters that are missing or of another kind. */
export function invalidParams(message: string, data?: unknown): RpcError {
  return { code: rpcCodes.invalidParams, message, ...(data !== undefined && { data }) }
}
