import type { JsonObject } from '@agentic-rest/profile'
import { objectAt } from '../json-value.ts'
import { acceptsStream, envelopeFault, metaKeys } from './envelope.ts'
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
  resultKind,
  taskRequest,
} from './server.ts'
import { clientName, declaresTasks, elicitationOf, TASKS_EXTENSION } from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { HostContext, ToolAnswer } from './tool-host.ts'
import { MODERN_VERSION, protocolVersions } from './versions.ts'

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
    const error = envelopeFault(request, message, this.#supported())
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
        caller,
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
        guarded({ onError: this.#options.onError, id: message.id, facts, signal }, () =>
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
    const { host, instructions } = this.#options
    return {
      supportedVersions: this.#supported(),
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
    return { ttlMs: this.#options.listTtlSeconds() * 1000, cacheScope: 'private' }
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

  #supported(): readonly string[] {
    return this.#options.legacy === 'off' ? [MODERN_VERSION] : protocolVersions
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
