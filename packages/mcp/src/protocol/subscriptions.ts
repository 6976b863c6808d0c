import { isObject, type JsonObject } from '@agentic-rest/profile'
import type { Environment } from '../environment.ts'
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
import { type Caller, principalOf } from './tool-host.ts'

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
const MAX_SUBSCRIPTIONS = 1024
const MAX_PER_CALLER = 32
const MAX_PER_TENANT = MAX_SUBSCRIPTIONS / 4

interface Listener {
  readonly id: RpcId
  readonly caller: Caller
  readonly queue: MessageQueue
  readonly serverInfo: JsonObject
}

/** The facts of a new subscription. */
export interface ListenOptions {
  readonly caller: Caller
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
  listen(message: RpcRequest, { caller, signal, facts, serverInfo }: ListenOptions): McpAnswer {
    const { notifications } = message.params
    if (!isObject(notifications)) {
      const error = invalidParams('Invalid params: notifications is missing')
      return refusedAnswer(httpStatuses.ok, error, { id: message.id, facts })
    }
    const limit = this.#reachedLimit(caller)
    if (limit !== undefined) {
      const error = { code: rpcCodes.internalError, message: `Too many subscriptions: ${limit}` }
      return refusedAnswer(httpStatuses.ok, error, { id: message.id, facts })
    }
    const listener: Listener = { id: message.id, caller, queue: new MessageQueue(), serverInfo }
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

  /** One caller must not take the places of a tenant, nor one tenant those of the others. */
  #reachedLimit(caller: Caller): string | undefined {
    const open = [...this.#listeners].filter((other) => other.caller.tenant === caller.tenant)
    const own = open.filter((other) => principalOf(other.caller) === principalOf(caller)).length
    if (own >= MAX_PER_CALLER) return `a caller may have ${MAX_PER_CALLER}`
    if (open.length >= MAX_PER_TENANT) return `a tenant may have ${MAX_PER_TENANT}`
    return this.#listeners.size >= MAX_SUBSCRIPTIONS
      ? `the endpoint may have ${MAX_SUBSCRIPTIONS}`
      : undefined
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
