import { isObject, type JsonObject, MAX_JSON_DEPTH } from '@agentic-rest/profile'
import { isDeeperThan, objectAt, textAt } from '../json-value.ts'
import { acceptsStream, headerOf, mcpHeaders, unsupportedVersion } from './envelope.ts'
import {
  type AnswerFacts,
  emptyAnswer,
  factsOf,
  httpStatuses,
  jsonAnswer,
  type McpAnswer,
  type McpRequest,
  refusedAnswer,
} from './http.ts'
import {
  errorMessage,
  idOf,
  invalidParams,
  type RpcMessage,
  type RpcRequest,
  readMessage,
  rpcCodes,
} from './json-rpc.ts'
import { answerExchange, type FinalMessage, type Outbox } from './message-stream.ts'
import type { OpenRequests } from './open-requests.ts'
import {
  finalError,
  finalRefusal,
  finalResult,
  guarded,
  type ProtocolOptions,
  readCall,
  resultKind,
} from './server.ts'
import { clientName, elicitationOf, type Session, Sessions } from './sessions.ts'
import type { HostContext, InputRequest, ToolAnswer, ToolCall } from './tool-host.ts'
import { isLegacyVersion, type LegacyVersion, legacyVersions, protocolVersions } from './versions.ts'

const MAX_BATCH_LENGTH = 100
const [NEWEST] = legacyVersions
// The version of a request without the header (Streamable HTTP, 2025-06-18).
const DEFAULT_VERSION: LegacyVersion = '2025-03-26'
const noElicitation = { form: false, url: false } as const

/** A request with its session, if it has one. */
interface Peer {
  readonly id: string | undefined
  readonly session: Session
}

/** Serves requests of 2025. The session is sealed into its id, so every process can serve it. */
export class LegacyProtocol {
  readonly #options: ProtocolOptions
  readonly #open: OpenRequests
  readonly #sessions: Sessions

  constructor(options: ProtocolOptions, open: OpenRequests) {
    this.#options = options
    this.#open = open
    this.#sessions = new Sessions(options.seal, options.environment)
  }

  /** Answers a message. */
  async serve(request: McpRequest, message: RpcMessage): Promise<McpAnswer> {
    if (message.type === 'request' && message.method === 'initialize')
      return this.#initialize(request, message)
    const peer = this.#peerOf(request)
    if ('status' in peer) return peer
    const method = message.type === 'response' ? message.type : message.method
    const facts = factsOf(method, peer.session.version)
    if (message.type !== 'request') return this.#accept(message, peer, facts)
    // Copilot CLI takes any other answer to its probe as fatal.
    if (message.method === 'server/discover') {
      const error = { code: rpcCodes.methodNotFound, message: 'Method not found' }
      return refusedAnswer(httpStatuses.notFound, error, { id: message.id, facts })
    }
    const canStream = acceptsStream(request)
    return answerExchange({
      environment: this.#options.environment,
      signal: request.signal,
      facts,
      run: (outbox, signal) =>
        this.#run({ request, message, peer, facts, outbox: canStream ? outbox : undefined }, signal),
    })
  }

  /** Answers a batch, which only the oldest revision has. Its calls cannot ask questions. */
  async serveBatch(request: McpRequest, batch: readonly unknown[]): Promise<McpAnswer> {
    const peer = this.#peerOf(request)
    if ('status' in peer) return peer
    const facts: AnswerFacts = { method: 'batch', version: peer.session.version, result: 'complete' }
    const messages = batch.map(readMessage)
    const isAllowed =
      peer.session.version === '2025-03-26' && batch.length > 0 && batch.length <= MAX_BATCH_LENGTH
    if (!isAllowed || messages.some((message) => message === undefined)) {
      const error = { code: rpcCodes.invalidRequest, message: 'Batches are not supported' }
      return refusedAnswer(httpStatuses.badRequest, error, { facts })
    }
    const alone = { ...peer, session: { ...peer.session, elicitation: noElicitation } }
    const answers: JsonObject[] = []
    for (const message of messages) {
      if (message?.type === 'request') {
        const one = { request, message, peer: alone, facts, outbox: undefined }
        answers.push((await this.#run(one, request.signal)).message)
      } else if (message !== undefined) this.#accept(message, peer, facts)
    }
    return answers.length === 0
      ? emptyAnswer(httpStatuses.accepted, facts)
      : jsonAnswer(httpStatuses.ok, answers, facts)
  }

  /** Ends a session. Nothing is stored, so there is nothing to remove. */
  end(request: McpRequest): McpAnswer {
    const id = headerOf(request.headers, mcpHeaders.session)
    const facts: AnswerFacts = { method: 'delete', version: 'unknown', result: 'complete' }
    if (id !== undefined) return emptyAnswer(httpStatuses.noContent, facts)
    const error = { code: rpcCodes.notAllowed, message: 'Method not allowed' }
    return refusedAnswer(httpStatuses.methodNotAllowed, error, { facts })
  }

  #initialize(request: McpRequest, { id, params }: RpcRequest): McpAnswer {
    const requested = params['protocolVersion']
    const facts: AnswerFacts = { method: 'initialize', version: 'unknown', result: 'complete' }
    if (typeof requested !== 'string' || !isObject(params['capabilities'] ?? {})) {
      return refusedAnswer(
        httpStatuses.badRequest,
        invalidParams('Invalid params: protocolVersion is missing'),
        { id, facts },
      )
    }
    const version = isLegacyVersion(requested) ? requested : NEWEST
    const { serverInfo, instructions } = this.#options
    const { name, title, version: serverVersion } = serverInfo
    const session: Session = {
      version,
      name: clientName(params['clientInfo']),
      elicitation: supportedElicitation(version, elicitationOf(params['capabilities'])),
    }
    const result = {
      protocolVersion: version,
      // Changes of the list are not reported here: clients of 2025 would need a stream of their own.
      capabilities: { tools: {} },
      serverInfo: { name, version: serverVersion, ...(title !== undefined && { title }) },
      ...(instructions !== undefined && { instructions }),
    }
    const { status, message } = finalResult(id, result)
    const answer = jsonAnswer(status, message, { ...facts, version })
    const sessionId = this.#sessions.start(session, request.caller)
    return { ...answer, headers: { ...answer.headers, 'Mcp-Session-Id': sessionId } }
  }

  /** The session of a request. Without an id it is served without elicitation, instead of being refused. */
  #peerOf({ headers, caller, body }: McpRequest): Peer | McpAnswer {
    const id = headerOf(headers, mcpHeaders.session)
    const header = headerOf(headers, mcpHeaders.version)
    if (header !== undefined && !isLegacyVersion(header)) {
      return refusedAnswer(httpStatuses.badRequest, unsupportedVersion(header, protocolVersions), {
        id: idOf(body),
      })
    }
    if (id === undefined) {
      return {
        id,
        session: { version: header ?? DEFAULT_VERSION, name: 'unknown', elicitation: noElicitation },
      }
    }
    const session = this.#sessions.open(id, caller)
    if (session !== undefined) return { id, session }
    const error = { code: rpcCodes.notAllowed, message: 'Session not found' }
    return refusedAnswer(httpStatuses.notFound, error, { id: idOf(body) })
  }

  #accept(message: Exclude<RpcMessage, RpcRequest>, { id: session }: Peer, facts: AnswerFacts): McpAnswer {
    if (session !== undefined && message.type === 'response' && typeof message.id === 'string') {
      // An answer that no process could write is one without a result.
      const result = isDeeperThan(message.result, MAX_JSON_DEPTH) ? undefined : message.result
      this.#open.deliver({ type: 'response', id: message.id, session, result })
    }
    if (
      session !== undefined &&
      message.type === 'notification' &&
      message.method === 'notifications/cancelled'
    ) {
      const { requestId } = message.params
      if (typeof requestId === 'string' || typeof requestId === 'number') {
        this.#open.deliver({ type: 'cancelled', session, requestId })
      }
    }
    return emptyAnswer(httpStatuses.accepted, facts)
  }

  #run(exchange: Exchange, signal: AbortSignal): Promise<FinalMessage> {
    const { message, peer, facts } = exchange
    return guarded({ onError: this.#options.onError, id: message.id, facts, signal }, () => {
      if (peer.id === undefined) return this.#dispatch(exchange, signal)
      return this.#open.cancellable(peer.id, message.id, (cancelled) =>
        this.#dispatch(exchange, AbortSignal.any([signal, cancelled])),
      )
    })
  }

  async #dispatch(exchange: Exchange, signal: AbortSignal): Promise<FinalMessage> {
    const { request, message, peer, facts, outbox } = exchange
    const { version, name, elicitation } = peer.session
    const canAsk = outbox !== undefined && peer.id !== undefined
    const client = {
      version,
      name,
      elicitation: canAsk ? this.#offered(elicitation) : noElicitation,
      tasks: false,
    }
    const meta = objectAt(message.params, '_meta')
    const { headers, caller, source } = request
    const context: HostContext = { headers, caller, source, client, meta, signal }
    switch (message.method) {
      case 'ping':
        return finalResult(message.id, {})
      case 'tools/list':
        if (message.params['cursor'] !== undefined)
          return finalError(message.id, invalidParams('Unknown cursor'))
        return finalResult(message.id, { tools: await this.#options.host.list(context) })
      case 'tools/call': {
        const call = readCall(message, context, outbox)
        const answer = 'type' in call ? call : await this.#call(call, exchange)
        facts.result = resultKind(answer)
        return final(message, answer)
      }
      default:
        facts.result = 'refused'
        return finalError(message.id, { code: rpcCodes.methodNotFound, message: 'Method not found' })
    }
  }

  /** Without a way back to the waiting call only links can be offered, by an error. */
  #offered({ form, url }: Session['elicitation']): Session['elicitation'] {
    return { form: form && this.#options.legacy === 'sessions', url }
  }

  /** Asks the questions of a call on its own stream, until the call has an answer. */
  async #call(call: ToolCall, exchange: Exchange): Promise<ToolAnswer> {
    let round = { ...call, inputResponses: {}, requestState: undefined as string | undefined }
    for (;;) {
      const answer = await this.#options.host.call(round)
      if (answer.type !== 'input_required') return answer
      const { inputRequests = {}, requestState } = answer
      if (this.#options.legacy === 'stateless') return this.#linkError(inputRequests)
      const inputResponses: Record<string, unknown> = {}
      for (const [key, request] of Object.entries(inputRequests)) {
        inputResponses[key] = (await this.#ask(request, call, exchange)) ?? { action: 'cancel' }
      }
      if (call.signal.aborted)
        return { type: 'refused', error: { code: rpcCodes.internalError, message: 'Cancelled' } }
      round = { ...call, inputResponses, requestState }
    }
  }

  async #ask(
    request: InputRequest,
    { signal }: ToolCall,
    { outbox, peer }: Exchange,
  ): Promise<JsonObject | undefined> {
    if (outbox === undefined || peer.id === undefined) return undefined
    const { method } = request
    const params = this.#withId(request)
    return this.#open.ask(peer.id, signal, (id) => outbox.send({ jsonrpc: '2.0', id, method, params }))
  }

  #withId({ params = {} }: InputRequest): JsonObject {
    const { mode, ...rest } = params
    return mode === 'url' ? { mode, elicitationId: this.#options.environment.randomUUID(), ...rest } : params
  }

  #linkError(requests: Readonly<Record<string, InputRequest>>): ToolAnswer {
    const elicitations = Object.values(requests)
      .filter(({ params }) => textAt(params, 'mode') === 'url')
      .map((request) => this.#withId(request))
    const error = {
      code: rpcCodes.urlElicitationRequired,
      message: 'An approval is required',
      data: { elicitations },
    }
    return { type: 'refused', error }
  }
}

interface Exchange {
  readonly request: McpRequest
  readonly message: RpcRequest
  readonly peer: Peer
  readonly facts: AnswerFacts
  readonly outbox: Outbox | undefined
}

function supportedElicitation(
  version: LegacyVersion,
  declared: Session['elicitation'],
): Session['elicitation'] {
  if (version === '2025-03-26') return noElicitation
  return { form: declared.form, url: declared.url && version === '2025-11-25' }
}

function final({ id }: RpcRequest, answer: ToolAnswer): FinalMessage {
  switch (answer.type) {
    case 'result':
      return finalResult(id, { ...answer.result })
    case 'refused':
    case 'http':
      return finalRefusal(id, answer)
    case 'input_required':
    case 'task':
      return {
        status: httpStatuses.ok,
        message: errorMessage(id, { code: rpcCodes.internalError, message: 'Internal error' }),
      }
  }
}
