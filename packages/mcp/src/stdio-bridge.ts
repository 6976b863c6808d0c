import {
  conditions,
  headers,
  headerValue,
  isObject,
  mediaTypeEssence,
  parseJson,
} from '@agentic-rest/profile'
import { readEvents } from './event-stream.ts'
import { objectAt, textAt } from './json-value.ts'
import { claimsModern, metaKeys, nameHeader } from './protocol/envelope.ts'
import {
  errorMessage,
  idOf,
  type RpcError,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
  readMessage,
  rpcCodes,
} from './protocol/json-rpc.ts'
import type { LongLine } from './stdio-lines.ts'

/** The options of a bridge. */
export interface BridgeOptions {
  /** The address of the endpoint. */
  readonly url: string
  /** Headers of every request: the token, the tenant. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  /** Writes a line to the client, without its end. A stream waits for the promise before it is read on. */
  write(line: string): void | Promise<void>
  /** Told of every failure, in one sentence without the token. */
  onFailure?(text: string): void
}

/** A client of lines in front of an endpoint of HTTP. */
export interface Bridge {
  /** Takes a line of the client. Resolves when it is answered; never rejects. */
  receive(line: string | LongLine): Promise<void>
  /** Ends all requests, each with an error. */
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

/** The codes of the failures that are found on this side of the gateway. */
export const bridgeCodes = {
  unreachable: 'GATEWAY_UNREACHABLE',
  brokenStream: 'STREAM_BROKEN',
  longLine: 'LINE_TOO_LONG',
  closed: 'BRIDGE_CLOSED',
} as const

class StdioBridge implements Bridge {
  readonly #options: BridgeOptions
  readonly #open = new Map<RpcId, AbortController>()
  readonly #closed = new AbortController()
  #handshake: string | undefined
  #version: string | undefined
  #session: string | undefined

  constructor(options: BridgeOptions) {
    this.#options = options
  }

  async receive(line: string | LongLine): Promise<void> {
    if (typeof line !== 'string') {
      const message = `The line has more than ${line.limit} bytes`
      await this.#refuse(line.id, {
        code: rpcCodes.invalidRequest,
        message,
        data: { code: bridgeCodes.longLine },
      })
      return
    }
    if (line.trim() === '') return
    const { value } = parseJson(line, { isMessage: true })
    const message = readMessage(value)
    if (message === undefined) return this.#refuseLine(value)
    if (this.#isCancelled(message)) return
    if (message.type !== 'request') return this.#deliver(message, line, this.#closed.signal)
    const left = new AbortController()
    this.#open.set(message.id, left)
    await this.#deliver(message, line, AbortSignal.any([left.signal, this.#closed.signal]))
    this.#open.delete(message.id)
  }

  close(): void {
    if (this.#closed.signal.aborted) return
    const error = {
      code: rpcCodes.internalError,
      message: 'The bridge is closed',
      data: { code: bridgeCodes.closed },
    }
    for (const id of this.#open.keys()) void this.#write(errorMessage(id, error))
    this.#closed.abort()
  }

  #refuseLine(value: unknown): Promise<void> {
    if (value === undefined) {
      return this.#refuse(null, { code: rpcCodes.parseError, message: 'The line is not JSON' })
    }
    const message = Array.isArray(value) ? 'Batches are not supported' : 'The line is not a JSON-RPC message'
    return this.#refuse(idOf(value), { code: rpcCodes.invalidRequest, message })
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
    const id = message.type === 'request' ? message.id : undefined
    try {
      const answer = await this.#post(message, line, signal)
      if (message.type === 'request' && message.method === 'initialize') await this.#begin(answer, line)
      await this.#pass(answer, id)
    } catch (error) {
      if (signal.aborted) return
      const failure = {
        code: rpcCodes.internalError,
        message: 'The gateway cannot be reached',
        data: { code: bridgeCodes.unreachable },
      }
      await this.#fail(id, failure, reasonOf(error))
    }
  }

  /** Posts a message. A session that has ended is begun again, once, without the client noticing. */
  async #post(message: RpcMessage, line: string, signal: AbortSignal): Promise<Response> {
    const isFirst = message.type === 'request' && message.method === 'initialize'
    const own = message.type === 'request' ? requestHeaders(message) : {}
    const session = isFirst ? undefined : this.#session
    const answer = await this.#send(line, { ...this.#sessionHeaders(isFirst), ...own }, signal)
    if (answer.status !== lostStatus || session === undefined || this.#handshake === undefined) return answer
    await answer.body?.cancel()
    // Another request may have begun the new session meanwhile.
    if (this.#session === session) {
      this.#options.onFailure?.('the session has ended, a new one is begun')
      const begun = await this.#send(this.#handshake, {}, signal)
      if (!begun.ok) return begun
      await begun.body?.cancel()
      this.#session = headerValue(begun.headers, SESSION)
    }
    return this.#send(line, { ...this.#sessionHeaders(false), ...own }, signal)
  }

  #sessionHeaders(isFirst: boolean): Readonly<Record<string, string>> {
    if (isFirst) return {}
    return {
      ...(this.#session !== undefined && { [SESSION]: this.#session }),
      ...(this.#version !== undefined && { 'MCP-Protocol-Version': this.#version }),
    }
  }

  #send(body: string, own: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const { url, headers: given, fetch: send } = this.#options
    const accept = {
      [headers.contentType]: 'application/json',
      Accept: 'application/json, text/event-stream',
    }
    // A redirect would send the token to another host.
    const redirect = 'manual'
    return send(url, { method: 'POST', headers: { ...given, ...accept, ...own }, body, signal, redirect })
  }

  /** Keeps the session and the version of a handshake that succeeded. */
  async #begin(answer: Response, line: string): Promise<void> {
    if (!answer.ok) return
    const result = objectAt(parseJson(await answer.clone().text(), { isMessage: true }).value, 'result')
    const version = textAt(result, 'protocolVersion')
    if (version === undefined) return
    this.#handshake = line
    this.#version = version
    this.#session = headerValue(answer.headers, SESSION)
  }

  async #pass(answer: Response, id: RpcId | undefined): Promise<void> {
    const isStream =
      mediaTypeEssence(headerValue(answer.headers, headers.contentType)) === 'text/event-stream'
    if (isStream && answer.body !== null) return this.#passStream(answer.body, id)
    const text = await answer.text()
    const { value: message } = parseJson(text, { isMessage: true })
    const isMessage = isObject(message) && message['jsonrpc'] === '2.0'
    if (id !== undefined && isMessage) {
      await this.#write(message['id'] === null ? { ...message, id } : message)
    } else if (id !== undefined || !answer.ok) {
      await this.#fail(id, statusError(answer, message))
    }
  }

  /** Writes the messages of a stream. A stream that breaks off before the response is an error of its own. */
  async #passStream(body: ReadableStream<Uint8Array>, id: RpcId | undefined): Promise<void> {
    let isAnswered = id === undefined
    let reason: string | undefined
    try {
      for await (const { data } of readEvents(body)) {
        const { value: message } = parseJson(data, { isMessage: true })
        if (message === undefined) continue
        isAnswered ||= isObject(message) && message['id'] === id && !Object.hasOwn(message, 'method')
        await this.#write(message)
      }
    } catch (error) {
      reason = reasonOf(error)
    }
    const isCancelled =
      this.#closed.signal.aborted || (id !== undefined && this.#open.get(id)?.signal.aborted)
    if (isAnswered || isCancelled) return
    const message = 'The stream of the gateway ended before the response'
    const data = { code: bridgeCodes.brokenStream }
    await this.#fail(id, { code: rpcCodes.internalError, message, data }, reason)
  }

  /** Tells of a failure, and answers the request if there is one. */
  async #fail(id: RpcId | undefined, error: RpcError, reason?: string): Promise<void> {
    if (this.#closed.signal.aborted) return
    this.#options.onFailure?.(reason === undefined ? error.message : `${error.message} (${reason})`)
    if (id !== undefined) await this.#write(errorMessage(id, error))
  }

  async #refuse(id: RpcId | null, error: RpcError): Promise<void> {
    this.#options.onFailure?.(error.message)
    await this.#write(errorMessage(id, error))
  }

  async #write(message: unknown): Promise<void> {
    if (!this.#closed.signal.aborted) await this.#options.write(JSON.stringify(message))
  }
}

/** The error for an answer of HTTP that is no message: a refused token, a limit, a proxy in between. */
function statusError({ status, headers: given }: Response, body: unknown): RpcError {
  const code = textAt(body, 'code')
  const reason = textAt(body, 'message') ?? 'the answer is not an MCP message'
  const seconds = Number(headerValue(given, headers.retryAfter) ?? Number.NaN)
  return {
    code: rpcCodes.internalError,
    message: `The gateway answered ${status}${code === undefined ? '' : ` ${code}`}: ${reason}`,
    data: {
      status,
      ...(code !== undefined && { code }),
      ...(Number.isFinite(seconds) && { retryAfter: seconds }),
    },
  }
}

/** The code of a failed connection, such as `ECONNREFUSED`. Its text could name hosts. */
function reasonOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined
  return textAt(cause, 'code') ?? (error instanceof Error ? error.name : undefined)
}
