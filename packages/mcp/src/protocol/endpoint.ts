import { headers, headerValue, mediaTypeEssence } from '@agentic-rest/profile'
import { claimsModern, headerOf, mcpHeaders, mismatch, namesModern, unsupportedVersion } from './envelope.ts'
import { httpStatuses, indexHeaders, type McpAnswer, type McpRequest, refusedAnswer } from './http.ts'
import { idOf, type RpcMessage, type RpcRequest, readMessage, rpcCodes } from './json-rpc.ts'
import { LegacyProtocol } from './legacy.ts'
import { ModernProtocol } from './modern.ts'
import { OpenRequests } from './open-requests.ts'
import type { RelayedMessage } from './relayed-message.ts'
import type { ProtocolOptions } from './server.ts'
import { Subscriptions } from './subscriptions.ts'
import { MODERN_VERSION } from './versions.ts'

/** The endpoint of both eras. */
export interface Endpoint {
  handle(request: McpRequest): Promise<McpAnswer>
  /** Tells listening clients that the list of tools has changed. */
  toolsChanged(): void
  /** Takes a message that another process relayed. */
  receive(message: RelayedMessage): void
  /** How many questions to clients wait for an answer. */
  readonly pendingElicitations: number
  /** Ends all subscriptions, and later ones at once. */
  close(): void
}

/** Makes the endpoint. It has no sockets: requests come parsed, and answers are values. */
export function createEndpoint(options: ProtocolOptions): Endpoint {
  const open = new OpenRequests(options)
  const subscriptions = new Subscriptions(options.environment)
  const modern = new ModernProtocol(options, subscriptions)
  const legacy = new LegacyProtocol(options, open)
  return {
    handle: async (request) =>
      handle({ options, modern, legacy }, { ...request, headers: indexHeaders(request.headers) }),
    toolsChanged: () => subscriptions.toolsChanged(),
    receive: (message) => {
      open.receive(message)
    },
    get pendingElicitations() {
      return open.questionCount
    },
    close: () => subscriptions.close(),
  }
}

interface Parts {
  readonly options: ProtocolOptions
  readonly modern: ModernProtocol
  readonly legacy: LegacyProtocol
}

function handle({ options, modern, legacy }: Parts, request: McpRequest): Promise<McpAnswer> | McpAnswer {
  const isLegacy = options.legacy !== 'off'
  if (request.method === 'DELETE' && isLegacy) return legacy.end(request)
  // Never 404: clients of 2025 that open a stream by GET would hang.
  if (request.method !== 'POST')
    return refusedAnswer(httpStatuses.methodNotAllowed, notAllowed('Method not allowed'))
  if (mediaTypeEssence(headerValue(request.headers, headers.contentType)) !== 'application/json') {
    return refusedAnswer(httpStatuses.unsupportedMedia, notAllowed('Content-Type has to be application/json'))
  }
  const { body } = request
  if (body === undefined) return invalid(rpcCodes.parseError, 'Parse error: the body is not JSON')
  if (Array.isArray(body)) return batch(isLegacy ? legacy : undefined, request, body)
  const message = readMessage(body)
  if (message === undefined)
    return invalid(rpcCodes.invalidRequest, 'The body is not a JSON-RPC message', body)
  return route({ options, modern, legacy }, request, message)
}

function batch(legacy: LegacyProtocol | undefined, request: McpRequest, body: readonly unknown[]) {
  const hasModern = body.some((each) => {
    const message = readMessage(each)
    return message !== undefined && message.type !== 'response' && claimsModern(message.params)
  })
  if (hasModern || legacy === undefined) return invalid(rpcCodes.invalidRequest, 'Batches are not supported')
  return legacy.serveBatch(request, body)
}

/** The body decides the era; the header is only compared with it, because proxies may remove it. */
function route(parts: Parts, request: McpRequest, message: RpcMessage): Promise<McpAnswer> | McpAnswer {
  const { options, modern, legacy } = parts
  const header = headerOf(request.headers, mcpHeaders.version)
  if (message.type !== 'response') {
    const isHandshake =
      message.type === 'request' && message.method === 'initialize' && !claimsModern(message.params)
    if (isHandshake && namesModern(header)) {
      const error = mismatch('initialize is not part of the named version')
      return refusedAnswer(httpStatuses.badRequest, error, { id: message.id })
    }
    if (claimsModern(message.params) || namesModern(header)) {
      return message.type === 'request' ? modern.serve(request, message) : modern.accept(message.method)
    }
  }
  if (options.legacy !== 'off') return legacy.serve(request, message)
  if (message.type === 'notification') return modern.accept(message.method)
  if (message.type === 'response') return invalid(rpcCodes.invalidRequest, 'Responses are not accepted')
  return unsupported(message, header)
}

function unsupported({ id, params }: RpcRequest, header: string | undefined): McpAnswer {
  const named = typeof params['protocolVersion'] === 'string' ? params['protocolVersion'] : header
  return refusedAnswer(httpStatuses.badRequest, unsupportedVersion(named, [MODERN_VERSION]), { id })
}

function notAllowed(message: string) {
  return { code: rpcCodes.notAllowed, message }
}

function invalid(code: number, message: string, body?: unknown): McpAnswer {
  return refusedAnswer(httpStatuses.badRequest, { code, message }, { id: idOf(body) })
}
