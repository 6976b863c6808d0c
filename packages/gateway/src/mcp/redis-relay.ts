import type { GatewaySection } from '../config/config-schema.ts'
import type { Log } from '../log.ts'
import { createSharedRedis, failureReason, type RedisClient } from '../redis/redis-client.ts'
import { type LinkedStore, type LinkTimes, linkTimes, StoreLink } from '../redis/store-link.ts'
import { within } from '../redis/time-limit.ts'

/** The options of the way to other gateways. */
export interface RelayOptions {
  readonly shared: NonNullable<GatewaySection['shared']>
  readonly log: Log
  /** The name of this process, which others address it by. */
  readonly name: string
  /** Takes a text. Everybody who may write to Redis can send one. */
  readonly receive: (text: string) => void
  readonly times?: LinkTimes | undefined
}

/** The name that addresses every process. */
export const EVERYONE = 'all'

/** The way to other gateways. A text that cannot be delivered is dropped. */
export interface Relay {
  /** Connects; resolves when the first attempt has succeeded or failed. */
  open(): Promise<void>
  /** Sends a text to a process, or to everyone. It is made only if there is a way. */
  publish(to: string, text: () => string): void
  /** Whether other gateways are out of reach. */
  readonly isAlone: boolean
  close(): Promise<void>
}

const PREFIX = 'agentic:mcp:v1:'

/** Makes the way by publish and subscribe of Redis. Nothing is stored there. */
export function createRedisRelay(options: RelayOptions): Relay {
  const { times = linkTimes, name, receive } = options
  const redis = createSharedRedis(options.shared, times)
  const report = createReport(options.log)
  const link = new StoreLink<Connections>({
    times,
    async connect(hooks) {
      // With the oldest protocol version a connection that subscribes can send nothing else.
      const publisher = await redis.connect(hooks)
      const subscriber = await redis.connect(hooks).catch((error: unknown) => {
        publisher.destroy()
        throw error
      })
      return new Connections(publisher, subscriber)
    },
    async enter(connections) {
      await connections.subscribe([PREFIX + name, PREFIX + EVERYONE], receive)
      // Proves that this gateway may publish. An empty text is no message.
      await connections.publish(PREFIX + name, '')
    },
    onFound: () => report(undefined),
    onMissing: report,
  })
  let opening: Promise<void> | undefined
  return {
    open() {
      if (opening === undefined) redis.readFiles()
      opening ??= link.open()
      return opening
    },
    publish(to, text) {
      const { store } = link
      if (store === undefined) return
      within(times.answerWithinMs, store.publish(PREFIX + to, text())).catch((error) =>
        link.lose(store, error),
      )
    },
    get isAlone() {
      return opening !== undefined && link.store === undefined
    },
    close: () => link.close(),
  }
}

class Connections implements LinkedStore {
  readonly #publisher: RedisClient
  readonly #subscriber: RedisClient
  #subscribed: Promise<unknown> | undefined

  constructor(publisher: RedisClient, subscriber: RedisClient) {
    this.#publisher = publisher
    this.#subscriber = subscriber
  }

  /** Subscribes once, however often a link is filled. */
  subscribe(channels: readonly string[], receive: (text: string) => void): Promise<unknown> {
    this.#subscribed ??= this.#subscriber.subscribe([...channels], (text) => receive(text))
    return this.#subscribed
  }

  publish(channel: string, text: string): Promise<unknown> {
    return this.#publisher.publish(channel, text)
  }

  close(): Promise<unknown> {
    return Promise.all([this.#publisher.close(), this.#subscriber.close()])
  }

  destroy(): void {
    this.#publisher.destroy()
    this.#subscriber.destroy()
  }
}

/** Logs a change, and only a change: an outage is one line, however many attempts fail. */
function createReport(log: Log) {
  let isAlone: boolean | undefined
  return (error: unknown) => {
    if (isAlone === (error !== undefined)) return
    isAlone = error !== undefined
    if (!isAlone) log.info('answers of MCP clients are passed on to other gateways')
    else
      log.warn('answers of MCP clients are not passed on to other gateways', {
        reason: failureReason(error),
      })
  }
}
