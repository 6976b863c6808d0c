import { conditions, headers, headerValue, mediaTypeEssence } from '@agentic-rest/profile'
import { readEvents } from './event-stream.ts'
import { isObject, objectAt, parseJson, textAt } from './json-value.ts'
import { claimsModern, metaKeys, nameHeader } from './protocol/envelope.ts'
import {
  errorMessage,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
  readMessage,
  rpcCodes,
} from './protocol/json-rpc.ts'

/** The options of a bridge. */
export interface BridgeOptions {
  /** The address of the endpoint. */
  readonly url: string
  /** Headers of every request: the token, the tenant. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  /** Writes a line to the client, without its end. */
  write(line: string): void
}

/** A client of lines in front of an endpoint of HTTP. */
export interface Bridge {
  /** Takes a line of the client. Resolves when it is answered; never rejects. */
  receive(line: string): Promise<void>
  /** Ends all requests. */
  close(): void
}

/** Makes a bridge, for clients that start a program and speak over its input and output. */
export function createStdioBridge(options: BridgeOptions): Bridge {
  return new StdioBridge(options)
}

const SESSION = 'Mcp-Session-Id'
const lostStatus: number = conditions.not_found

/** The headers that repeat parts of a request of 2026-07-28. */
function requestHeaders({ method, params }: RpcRequest): Readonly<Record<string, string>> {
  if (!claimsModern(params)) return {}
  const name = nameHeader(method, params)
  return {
    'MCP-Protocol-Version': textAt(objectAt(params, '_meta'), metaKeys.version) ?? '',
    'Mcp-Method': method,
    ...(name !== undefined && { 'Mcp-Name': name }),
  }
}

class StdioBridge implements Bridge {
  readonly #options: BridgeOptions
  readonly #open = new Map<RpcId, AbortController>()
  readonly #closed = new AbortController()
  #handshake: string | undefined
  #session: Readonly<Record<string, string>> = {}

  constructor(options: BridgeOptions) {
    this.#options = options
  }

  async receive(line: string): Promise<void> {
    if (line.trim() === '') return
    const message = readMessage(parseJson(line))
    if (message === undefined) {
      this.#writeError(null, 'The line is not a JSON-RPC message', rpcCodes.invalidRequest)
      return
    }
    if (this.#isCancelled(message)) return
    if (message.type !== 'request') return this.#deliver(message, line, this.#closed.signal)
    const left = new AbortController()
    this.#open.set(message.id, left)
    await this.#deliver(message, line, AbortSignal.any([left.signal, this.#closed.signal]))
    this.#open.delete(message.id)
  }

  close(): void {
    this.#closed.abort()
  }

  /** On 2026-07-28 the end of the response stream is the cancellation, so the notification is not sent on. */
  #isCancelled(message: RpcMessage): boolean {
    if (message.type !== 'notification' || message.method !== 'notifications/cancelled') return false
    const { requestId } = message.params
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return false
    if (this.#handshake !== undefined) return false
    this.#open.get(requestId)?.abort()
    return true
  }

  async #deliver(message: RpcMessage, line: string, signal: AbortSignal): Promise<void> {
    const isRequest = message.type === 'request'
    try {
      const answer = await this.#post(message, line, signal)
      if (isRequest && message.method === 'initialize') await this.#begin(answer, line, message.id)
      else await this.#pass(answer, isRequest ? message.id : undefined)
    } catch {
      if (isRequest && !signal.aborted) this.#writeError(message.id, 'The gateway cannot be reached')
    }
  }

  /** Posts a message. A session that has ended is begun again, once, without the client noticing. */
  async #post(message: RpcMessage, line: string, signal: AbortSignal): Promise<Response> {
    const own = message.type === 'request' ? requestHeaders(message) : {}
    const send = () => this.#send(line, { ...this.#session, ...own }, signal)
    const answer = await send()
    const isLost = answer.status === lostStatus && Object.hasOwn(this.#session, SESSION)
    if (!isLost || this.#handshake === undefined) return answer
    await answer.body?.cancel()
    this.#session = {}
    this.#note(await this.#send(this.#handshake, {}, signal))
    return send()
  }

  #send(body: string, own: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const { url, headers: given, fetch: send } = this.#options
    const accept = {
      [headers.contentType]: 'application/json',
      Accept: 'application/json, text/event-stream',
    }
    return send(url, { method: 'POST', headers: { ...given, ...accept, ...own }, body, signal })
  }

  async #begin(answer: Response, line: string, id: RpcId): Promise<void> {
    const text = await answer.text()
    const version = textAt(objectAt(parseJson(text), 'result'), 'protocolVersion')
    if (version !== undefined) {
      this.#handshake = line
      this.#note(answer)
      this.#session = { ...this.#session, 'MCP-Protocol-Version': version }
    }
    this.#writeAnswer(answer, text, id)
  }

  #note(answer: Response): void {
    const id = headerValue(answer.headers, SESSION)
    if (id !== undefined) this.#session = { ...this.#session, [SESSION]: id }
  }

  async #pass(answer: Response, id: RpcId | undefined): Promise<void> {
    const isStream =
      mediaTypeEssence(headerValue(answer.headers, headers.contentType)) === 'text/event-stream'
    if (isStream && answer.body !== null) {
      for await (const { data } of readEvents(answer.body)) this.#writeJson(parseJson(data))
      return
    }
    const text = await answer.text()
    if (id !== undefined) this.#writeAnswer(answer, text, id)
  }

  #writeAnswer({ status }: Response, text: string, id: RpcId): void {
    const message = parseJson(text)
    if (isObject(message) && message['jsonrpc'] === '2.0') {
      this.#writeJson(message['id'] === null ? { ...message, id } : message)
      return
    }
    const code = textAt(message, 'code')
    const reason = textAt(message, 'message') ?? (text === '' ? 'no body' : 'not a message')
    this.#writeError(id, `The gateway answered ${status}${code === undefined ? '' : ` ${code}`}: ${reason}`)
  }

  #writeError(id: RpcId | null, message: string, code: number = rpcCodes.internalError): void {
    this.#writeJson(errorMessage(id, { code, message }))
  }

  #writeJson(message: unknown): void {
    if (message !== undefined && !this.#closed.signal.aborted) this.#options.write(JSON.stringify(message))
  }
}
