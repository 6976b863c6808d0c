import type { JsonObject } from '@agentic-rest/profile'
import type { Environment } from '../environment.ts'
import type { RpcId } from './json-rpc.ts'
import { instanceOf, type RelayedMessage } from './relayed-message.ts'

/** The options of the open requests of a process. */
export interface OpenRequestsOptions {
  /** The name of this process, part of the ids of its questions. It has no dot. */
  readonly instance: string
  readonly environment: Environment
  /** Passes a message on to the other processes; absent if there are none. */
  readonly relay?: ((message: RelayedMessage) => void) | undefined
}

// Shorter than the life of a sealed state, so that a late end of the question still finds its call.
const ANSWER_TIMEOUT_MS = 590_000
/** The most questions that wait for an answer at the same time. */
export const MAX_OPEN_QUESTIONS = 10_000

interface Question {
  readonly session: string
  answer(result: JsonObject | undefined): void
}

/** The questions to clients of 2025 that wait for an answer, and the calls that they can cancel. */
export class OpenRequests {
  readonly #options: OpenRequestsOptions
  readonly #questions = new Map<string, Question>()
  readonly #calls = new Map<string, AbortController>()

  constructor(options: OpenRequestsOptions) {
    this.#options = options
  }

  /** How many questions wait for an answer. */
  get questionCount(): number {
    return this.#questions.size
  }

  /**
   * Asks the client of a session. Resolves with its answer; with undefined if it refuses by an error, does not answer in
   * time, has gone, or if too many questions are open.
   */
  async ask(
    session: string,
    signal: AbortSignal,
    send: (id: string) => void,
  ): Promise<JsonObject | undefined> {
    if (this.#questions.size >= MAX_OPEN_QUESTIONS || signal.aborted) return undefined
    const { instance, environment } = this.#options
    const id = `${instance}.${environment.randomUUID()}`
    const ended = new AbortController()
    const answered = new Promise<JsonObject | undefined>((resolve) => {
      this.#questions.set(id, { session, answer: resolve })
      send(id)
    })
    const stop = AbortSignal.any([signal, ended.signal])
    const late = environment.wait(ANSWER_TIMEOUT_MS, stop).then(() => undefined)
    try {
      return await Promise.race([answered, late])
    } finally {
      ended.abort()
      this.#questions.delete(id)
    }
  }

  /** Delivers an answer here or to another process. An answer nobody waits for is dropped. */
  deliver(message: RelayedMessage): void {
    const isElsewhere = message.type === 'response' && instanceOf(message.id) !== this.#options.instance
    if (!isElsewhere && this.receive(message)) return
    // The id of a call does not name its process.
    if (isElsewhere || message.type === 'cancelled') this.#options.relay?.(message)
  }

  /** Takes a message of this or another process; false if it is for no call here. */
  receive(message: RelayedMessage): boolean {
    if (message.type === 'cancelled') {
      const call = this.#calls.get(callKey(message.session, message.requestId))
      call?.abort()
      return call !== undefined
    }
    const question = this.#questions.get(message.id)
    // Only the client that was asked may answer.
    if (question === undefined || question.session !== message.session) return false
    this.#questions.delete(message.id)
    question.answer(message.result)
    return true
  }

  /** Runs a call that its client can cancel by the id of the request. */
  async cancellable<T>(session: string, id: RpcId, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const key = callKey(session, id)
    const controller = new AbortController()
    this.#calls.set(key, controller)
    try {
      return await run(controller.signal)
    } finally {
      if (this.#calls.get(key) === controller) this.#calls.delete(key)
    }
  }
}

function callKey(session: string, id: RpcId): string {
  return `${session} ${typeof id} ${id}`
}
