import { type JsonObject, writeEvent } from '@agentic-rest/profile'
import type { Environment } from '../environment.ts'
import { type AnswerFacts, httpStatuses, jsonAnswer, type McpAnswer, streamHeaders } from './http.ts'

/** The last message of an exchange. */
export interface FinalMessage {
  readonly message: JsonObject
  /** The status, headers and body of an answer that is not an event stream. */
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The way of messages back to the client before the last one. */
export interface Outbox {
  send(message: JsonObject): void
  /** Sends a message that is left out while the client does not read. */
  offer(message: JsonObject): void
}

const MAX_WAITING_OFFERS = 64
const KEEP_ALIVE_MS = 15_000

/** The messages of one exchange that the client has not got yet. */
export class MessageQueue implements Outbox {
  #waiting: JsonObject[] = []
  #wake: (() => void) | undefined
  final: FinalMessage | undefined

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  send(message: JsonObject): void {
    this.#waiting.push(message)
    this.#wake?.()
  }

  offer(message: JsonObject): void {
    if (this.#waiting.length < MAX_WAITING_OFFERS) this.send(message)
  }

  finish(final: FinalMessage): void {
    this.final = final
    this.#wake?.()
  }

  take(): readonly JsonObject[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }

  /** Resolves when there is a message, or after the last one. */
  ready(): Promise<void> {
    if (!this.isEmpty || this.final !== undefined) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/** One exchange with a client. */
export interface ExchangeOptions {
  readonly environment: Environment
  readonly signal: AbortSignal
  readonly facts: AnswerFacts
  /** Produces the last message; never rejects. Its signal is aborted when the client has gone. */
  run(outbox: Outbox, signal: AbortSignal): Promise<FinalMessage>
}

/** Answers with JSON, or with an event stream if a message is sent before the last one. */
export async function answerExchange({
  environment,
  signal,
  facts,
  run,
}: ExchangeOptions): Promise<McpAnswer> {
  const queue = new MessageQueue()
  const left = new AbortController()
  void run(queue, AbortSignal.any([signal, left.signal])).then((final) => queue.finish(final))
  await queue.ready()
  if (queue.isEmpty && queue.final !== undefined) return plainAnswer(queue.final, facts)
  const body = frames(queue, environment, left)
  return { status: httpStatuses.ok, headers: streamHeaders, body, facts }
}

function plainAnswer({ status, message, headers, body }: FinalMessage, facts: AnswerFacts): McpAnswer {
  const answer = jsonAnswer(status, message, facts)
  return { ...answer, headers: { ...answer.headers, ...headers }, body: body ?? answer.body }
}

/** The frames of a queue until its last message. `left` is aborted when the reader stops. */
export async function* frames(
  queue: MessageQueue,
  environment: Environment,
  left: AbortController,
): AsyncGenerator<string, void> {
  try {
    for (;;) {
      for (const message of queue.take()) yield frame(message)
      if (queue.final !== undefined) break
      if (await isQuiet(queue, environment)) yield ': keepalive\n\n'
    }
    yield frame(queue.final.message)
  } finally {
    left.abort()
  }
}

function frame(message: JsonObject): string {
  return writeEvent({ event: 'message', data: JSON.stringify(message) })
}

/** Waits for the next message; true if none came for a while, so that proxies would end the connection. */
async function isQuiet(queue: MessageQueue, environment: Environment): Promise<boolean> {
  const ended = new AbortController()
  const quiet = environment.wait(KEEP_ALIVE_MS, ended.signal).then(() => true)
  try {
    return await Promise.race([queue.ready().then(() => false), quiet])
  } finally {
    ended.abort()
  }
}
