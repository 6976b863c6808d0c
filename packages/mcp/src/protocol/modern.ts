import { headerValue } from '@agentic-rest/profile'
import { isObject, type JsonObject, objectAt, textAt } from '../json-value.ts'
import {
  type AnswerFacts,
  emptyAnswer,
  factsOf,
  httpStatuses,
  type McpAnswer,
  type McpRequest,
  refusedAnswer,
} from './http.ts'
import { invalidParams, type RpcError, type RpcRequest, rpcCodes } from './json-rpc.ts'
import { answerExchange, type FinalMessage, type Outbox } from './message-stream.ts'
import {
  finalError,
  finalRefusal,
  finalResult,
  guarded,
  type ProtocolOptions,
  readCall,
  taskRequest,
} from './server.ts'
import { clientName, declaresTasks, elicitationOf, TASKS_EXTENSION } from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { HostContext, ToolAnswer } from './tool-host.ts'
import { MODERN_VERSION, protocolVersions } from './versions.ts'

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

/** Serves requests of 2026-07-28. Each carries everything it needs; there are no sessions. */
export class ModernProtocol {
  readonly #options: ProtocolOptions
  readonly #subscriptions: Subscriptions

  constructor(options: ProtocolOptions, subscriptions: Subscriptions) {
    this.#options = options
    this.#subscriptions = subscriptions
  }

  /** Answers a request. */
  serve(request: McpRequest, message: RpcRequest): Promise<McpAnswer> | McpAnswer {
    const facts = factsOf(message.method, MODERN_VERSION)
    const error =
      envelopeError(message) ?? versionError(request, message, this.#options) ?? headerError(request, message)
    if (error !== undefined) return refusedAnswer(httpStatuses.badRequest, error, { id: message.id, facts })
    const meta = objectAt(message.params, '_meta')
    const capabilities = objectAt(meta, metaKeys.capabilities)
    const canStream = acceptsStream(request)
    const client = {
      version: MODERN_VERSION,
      name: clientName(meta[metaKeys.clientInfo]),
      elicitation: elicitationOf(capabilities),
      tasks: declaresTasks(capabilities),
    } as const
    const { headers, caller, source } = request
    const context = { headers, caller, source, client, meta }
    if (message.method === 'subscriptions/listen') {
      return this.#subscriptions.listen(message, {
        signal: request.signal,
        facts,
        serverInfo: this.#serverInfo(),
      })
    }
    return answerExchange({
      environment: this.#options.environment,
      signal: request.signal,
      facts,
      run: (outbox, signal) =>
        guarded({ onError: this.#options.onError, id: message.id, signal }, () =>
          this.#dispatch(message, { ...context, signal }, { outbox: canStream ? outbox : undefined, facts }),
        ),
    })
  }

  /** Accepts a notification. None of them changes anything here. */
  accept(method: string): McpAnswer {
    return emptyAnswer(httpStatuses.accepted, factsOf(method, MODERN_VERSION))
  }

  async #dispatch(
    message: RpcRequest,
    context: HostContext,
    { outbox, facts }: { readonly outbox: Outbox | undefined; readonly facts: AnswerFacts },
  ): Promise<FinalMessage> {
    switch (message.method) {
      case 'server/discover':
        return this.#complete(message, this.#discover())
      case 'tools/list':
        return this.#list(message, context)
      case 'tools/call': {
        const call = readCall(message, context, outbox)
        const answer = 'type' in call ? call : await this.#options.host.call(call)
        facts.result = resultKind(answer)
        return this.#final(message, answer)
      }
      default:
        return this.#task(message, context, facts)
    }
  }

  async #task(message: RpcRequest, context: HostContext, facts: AnswerFacts): Promise<FinalMessage> {
    const asked = taskRequest(this.#options.host, message, context)
    if (asked === undefined) {
      facts.result = 'refused'
      const error = { code: rpcCodes.methodNotFound, message: 'Method not found' }
      return finalError(message.id, error, httpStatuses.notFound)
    }
    if (!context.client.tasks) {
      facts.result = 'refused'
      return finalError(message.id, missingTasks(), httpStatuses.badRequest)
    }
    const answer = await asked
    if (answer.type === 'acknowledged') return this.#complete(message, {})
    if (answer.type === 'task') return this.#complete(message, { ...answer.task })
    facts.result = 'refused'
    return finalRefusal(message.id, answer)
  }

  #discover(): JsonObject {
    const { host, instructions, legacy } = this.#options
    return {
      supportedVersions: legacy === 'off' ? [MODERN_VERSION] : protocolVersions,
      capabilities: {
        tools: { listChanged: true },
        ...(host.tasks !== undefined && { extensions: { [TASKS_EXTENSION]: {} } }),
      },
      ...(instructions !== undefined && { instructions }),
      ...this.#cacheable(),
    }
  }

  async #list(message: RpcRequest, context: HostContext): Promise<FinalMessage> {
    // There is one page only, so no cursor was ever given out.
    if (message.params['cursor'] !== undefined) return finalError(message.id, invalidParams('Unknown cursor'))
    const tools = await this.#options.host.list(context)
    return this.#complete(message, { tools, ...this.#cacheable() })
  }

  #cacheable(): JsonObject {
    return { ttlMs: this.#options.listTtlSeconds * 1000, cacheScope: 'private' }
  }

  #final(message: RpcRequest, answer: ToolAnswer): FinalMessage {
    switch (answer.type) {
      case 'result':
        return this.#complete(message, { ...answer.result })
      case 'input_required': {
        const { inputRequests, requestState } = answer
        return this.#complete(message, {
          resultType: 'input_required',
          ...(inputRequests && { inputRequests }),
          ...(requestState !== undefined && { requestState }),
        })
      }
      case 'task':
        return this.#complete(message, { resultType: 'task', ...answer.task })
      case 'refused':
      case 'http':
        return finalRefusal(message.id, answer)
    }
  }

  #complete({ id }: RpcRequest, result: JsonObject): FinalMessage {
    const _meta = { ...objectAt(result, '_meta'), [metaKeys.serverInfo]: this.#serverInfo() }
    return finalResult(id, { resultType: 'complete', ...result, _meta })
  }

  #serverInfo(): JsonObject {
    const { name, version, title } = this.#options.serverInfo
    return { name, version, ...(title !== undefined && { title }) }
  }
}

function missingTasks(): RpcError {
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
  return {
    code: rpcCodes.missingCapability,
    message: `Missing required client capabilities: ${TASKS_EXTENSION}`,
    data: { requiredCapabilities },
  }
}

/** The kind of an answer in metrics. */
export function resultKind(answer: ToolAnswer): AnswerFacts['result'] {
  switch (answer.type) {
    case 'result':
      return answer.result.isError === true ? 'tool_error' : 'complete'
    case 'input_required':
    case 'task':
      return answer.type
    case 'refused':
    case 'http':
      return 'refused'
  }
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
  return accept === undefined || /text\/event-stream|text\/\*|\*\/\*/i.test(accept)
}

function envelopeError({ params }: RpcRequest): RpcError | undefined {
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
  { legacy }: ProtocolOptions,
): RpcError | undefined {
  const claimed = textAt(objectAt(params, '_meta'), metaKeys.version) ?? ''
  const header = headerOf(headers, mcpHeaders.version)
  if (header !== undefined && header !== claimed)
    return mismatch(`MCP-Protocol-Version is not the version of the body`)
  if (claimed === MODERN_VERSION) return undefined
  return unsupportedVersion(claimed, legacy === 'off' ? [MODERN_VERSION] : protocolVersions)
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

/** Values that are no plain text are sent as `=?base64?…?=`; undefined for an invalid one. */
function decoded(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) return undefined
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? undefined : text
}
