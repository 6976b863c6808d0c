import type { Environment } from '../environment.ts'
import { isObject, type JsonObject } from '../json-value.ts'
import { type AnswerFacts, httpStatuses, type McpAnswer, refusedAnswer, streamHeaders } from './http.ts'
import {
  invalidParams,
  notificationMessage,
  type RpcId,
  type RpcRequest,
  resultMessage,
  rpcCodes,
} from './json-rpc.ts'
import { frames, MessageQueue } from './message-stream.ts'

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
const MAX_SUBSCRIPTIONS = 1024

interface Listener {
  readonly id: RpcId
  readonly queue: MessageQueue
  readonly serverInfo: JsonObject
}

/** The facts of a new subscription. */
export interface ListenOptions {
  readonly signal: AbortSignal
  readonly facts: AnswerFacts
  readonly serverInfo: JsonObject
}

/** The streams of clients that want to know about changes of the list. */
export class Subscriptions {
  readonly #environment: Environment
  readonly #listeners = new Set<Listener>()
  #isClosed = false

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** Opens a stream for a `subscriptions/listen`. Only changes of the tools are reported. */
  listen(message: RpcRequest, { signal, facts, serverInfo }: ListenOptions): McpAnswer {
    const { notifications } = message.params
    if (!isObject(notifications)) {
      const error = invalidParams('Invalid params: notifications is missing')
      return refusedAnswer(httpStatuses.ok, error, { id: message.id, facts })
    }
    if (this.#listeners.size >= MAX_SUBSCRIPTIONS) {
      const error = { code: rpcCodes.internalError, message: 'Too many subscriptions' }
      return refusedAnswer(httpStatuses.ok, error, { id: message.id, facts })
    }
    const listener: Listener = { id: message.id, queue: new MessageQueue(), serverInfo }
    const isWanted = notifications['toolsListChanged'] === true
    const honored = isWanted ? { toolsListChanged: true } : {}
    listener.queue.send(
      stamped(listener, 'notifications/subscriptions/acknowledged', { notifications: honored }),
    )
    const left = new AbortController()
    if (isWanted && !this.#isClosed) this.#open(listener, AbortSignal.any([signal, left.signal]))
    else end(listener)
    return {
      status: httpStatuses.ok,
      headers: streamHeaders,
      body: frames(listener.queue, this.#environment, left),
      facts,
    }
  }

  /** Tells all listeners that the list of tools has changed. */
  toolsChanged(): void {
    for (const listener of this.#listeners) {
      listener.queue.offer(stamped(listener, 'notifications/tools/list_changed', {}))
    }
  }

  /** Ends all streams, and later ones at once. */
  close(): void {
    this.#isClosed = true
    for (const listener of this.#listeners) end(listener)
    this.#listeners.clear()
  }

  #open(listener: Listener, gone: AbortSignal): void {
    if (gone.aborted) {
      end(listener)
      return
    }
    this.#listeners.add(listener)
    gone.addEventListener(
      'abort',
      () => {
        this.#listeners.delete(listener)
        end(listener)
      },
      { once: true },
    )
  }
}

function stamped({ id }: Listener, method: string, params: JsonObject): JsonObject {
  return notificationMessage(method, { ...params, _meta: { [SUBSCRIPTION_ID]: id } })
}

function end({ id, queue, serverInfo }: Listener): void {
  const _meta = { [SUBSCRIPTION_ID]: id, 'io.modelcontextprotocol/serverInfo': serverInfo }
  queue.finish({ status: httpStatuses.ok, message: resultMessage(id, { resultType: 'complete', _meta }) })
}
