import type { RedisClient } from '../redis/redis-client.ts'
import { type LinkTimes, linkTimes, RedisLink, type RedisUse } from '../redis/redis-link.ts'

/** The options of the way to other gateways. */
export interface RelayOptions extends RedisUse {
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
  const link = new RedisLink<Connections>({
    ...options,
    times,
    // With the oldest protocol version a connection that subscribes can send nothing else.
    connect: async (open) => new Connections(await open(), await open()),
    async enter(connections) {
      await connections.subscribe([PREFIX + name, PREFIX + EVERYONE], receive)
      // Proves that this gateway may publish. An empty text is no message.
      await connections.publish(PREFIX + name, '')
    },
    found: 'answers of MCP clients are passed on to other gateways',
    missing: 'answers of MCP clients are not passed on to other gateways',
  })
  return {
    open: () => link.open(),
    publish(to, text) {
      link.ask((store) => store.publish(PREFIX + to, text())).catch(() => undefined)
    },
    get isAlone() {
      return link.isAlone
    },
    close: () => link.close(),
  }
}

class Connections {
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
}
