import { headers, outcomes, type Trace } from '@agentic-rest/profile'
import { type CatalogueTool, hasEffect } from '../catalogue/tool.ts'
import type { Environment } from '../environment.ts'
import type { ToolCall } from '../protocol/tool-host.ts'
import type { Seal } from '../sealed-text.ts'
import type { CallState, CallStates } from './call-state.ts'
import {
  type Answered,
  baseHeaders,
  type InnerAnswer,
  type InnerRequest,
  readAnswer,
  type Send,
} from './inner-exchange.ts'
import { readStream } from './stream-result.ts'
import type { ToolRequest } from './tool-request.ts'

/** The surroundings of all calls. */
export interface RunOptions {
  readonly send: Send
  readonly seal: Seal
  readonly states: CallStates
  readonly environment: Environment
  readonly publicUrl: string
  /** How long one round waits for an approval or an operation. */
  readonly holdSeconds: number
  /** After this time a pending approval is an answer. */
  readonly approvalMinutes: number
  /** Whether a route shows the status of the operations of a tool. */
  canPoll(tool: CatalogueTool): boolean
  /** Whether a path that the service of a tool named leads to the same service. No other is asked in the caller's name. */
  canFollow(tool: CatalogueTool, path: string): boolean
}

/** A call and its state at the beginning of a round. */
export interface Round {
  readonly call: ToolCall
  readonly state: CallState
}

const HEARTBEAT_MS = 5000

/** The requests of one round of a call, and the progress that is reported meanwhile. */
export class CallRequests {
  readonly #options: RunOptions
  readonly #tool: CatalogueTool
  readonly #call: ToolCall
  // The ids, the key and the number of the round stay the same in a round.
  readonly #state: Pick<CallState, 'correlationId' | 'key' | 'round'>
  readonly #startedAt: number
  #progress = 0

  constructor(options: RunOptions, tool: CatalogueTool, { call, state }: Round) {
    this.#options = options
    this.#tool = tool
    this.#call = call
    this.#state = state
    this.#startedAt = options.environment.now()
  }

  /** Whether accepted work becomes a task of the client. */
  wantsTask(): boolean {
    return this.#call.client.tasks && this.#options.canPoll(this.#tool)
  }

  /** The ids of the next request. */
  trace(): Trace {
    return { correlationId: this.#state.correlationId, requestId: this.#options.environment.randomUUID() }
  }

  /** Reads an approval or an operation. */
  async get(path: string): Promise<Answered> {
    const trace = this.trace()
    const answer = await this.#send({
      method: 'GET',
      path,
      headers: baseHeaders(this.#call, trace),
      body: undefined,
    })
    return readAnswer(answer, trace)
  }

  /** Sends the request of the tool, with the tokens of its approvals. */
  sendTool({ path, headers: own, body }: ToolRequest, tokens: readonly string[]): Promise<Answered> {
    const { method } = this.#tool.route
    const trace = this.trace()
    const streams = this.#tool.streams && this.#call.progress !== undefined
    const request = {
      method,
      path,
      headers: {
        ...own,
        ...baseHeaders(this.#call, trace),
        ...(body !== undefined && { [headers.contentType]: outcomes.success.mediaType }),
        ...(hasEffect(method) && { [headers.idempotencyKey]: this.#state.key }),
        ...(tokens.length > 0 && { [headers.approvalToken]: tokens.join(',') }),
        ...(this.#tool.canAnswerLater && this.wantsTask() && { Prefer: 'respond-async' }),
        ...(streams && { Accept: 'text/event-stream' }),
      },
      body,
    }
    return this.#withHeartbeat(this.#send(request).then((answer) => this.#read(answer, trace)))
  }

  #read(answer: InnerAnswer, trace: Trace): Answered | Promise<Answered> {
    const { events } = answer
    if (events === undefined) return readAnswer(answer, trace)
    return readStream({ ...answer, events }, trace, (message) => this.report(message, this.#progress + 1))
  }

  #send(request: Pick<InnerRequest, 'method' | 'path' | 'headers' | 'body'>): Promise<InnerAnswer> {
    const { client, signal, source } = this.#call
    const { name: tool } = this.#tool.definition
    const facts = { tool, version: client.version, client: client.name, round: this.#state.round }
    return this.#options.send({ ...request, signal, facts, source })
  }

  /** Reports progress while nothing happens, so that clients do not give up. */
  async #withHeartbeat<T>(work: Promise<T>): Promise<T> {
    if (this.#call.progress === undefined) return work
    const { environment } = this.#options
    const ended = new AbortController()
    const beat = async () => {
      for (;;) {
        await environment.wait(HEARTBEAT_MS, ended.signal)
        if (ended.signal.aborted || this.#call.signal.aborted) return
        this.report()
      }
    }
    void beat()
    try {
      return await work
    } finally {
      ended.abort()
    }
  }

  /** Progress counts events or seconds. It only grows, as MCP demands. */
  report(message?: string, wanted = this.#elapsedSeconds()): void {
    if (this.#call.progress === undefined) return
    this.#progress = Math.max(wanted, this.#progress + 1)
    this.#call.progress({ progress: this.#progress, ...(message !== undefined && { message }) })
  }

  #elapsedSeconds(): number {
    return Math.floor((this.#options.environment.now() - this.#startedAt) / 1000)
  }
}
