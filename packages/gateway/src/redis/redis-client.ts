import type { GatewaySection } from '../config/config-schema.ts'
import { readCertificates } from '../config/read-files.ts'
import { redisUrlOf } from '../config/secret-files.ts'
import { within } from './time-limit.ts'

/** What a connection reports to, and is ended by. */
interface ConnectHooks {
  /** Called when the connection is lost. */
  readonly onLost: (error: unknown) => void
  /** Aborted when the link is closed. */
  readonly signal: AbortSignal
}

/** The address of Redis and how it is reached. */
interface ClientOptions extends ConnectHooks {
  /** May contain a password: never part of a message. */
  readonly url: string
  /** The trusted authorities for `rediss://`; by default those of Node. */
  readonly authorities: readonly string[] | undefined
  readonly connectWithinMs: number
}

/** More than one renewal ever sends. Commands above it are refused instead of queued in memory. */
const MAX_UNANSWERED = 100_000

/** The Redis of `gateway.shared`. */
export interface SharedRedis {
  /** Reads the files of the section at the start, so that an unusable one ends it. */
  readFiles(): void
  /** Connects once. After a lost connection the caller connects again. */
  connect(hooks: ConnectHooks): Promise<RedisClient>
}

/** Makes the access to the Redis of a section. The address is read again with each connection. */
export function createSharedRedis(
  shared: NonNullable<GatewaySection['shared']>,
  { connectWithinMs }: Pick<ClientOptions, 'connectWithinMs'>,
): SharedRedis {
  let authorities: readonly string[] | undefined
  return {
    readFiles() {
      redisUrlOf(shared)
      if (shared.ca_file !== undefined)
        authorities = readCertificates(shared.ca_file, 'gateway.shared.ca_file').map(String)
    },
    connect: (hooks) => connectClient({ ...hooks, url: redisUrlOf(shared), authorities, connectWithinMs }),
  }
}

/**
 * The reason of a failure in one word that may be shown: an error code of the system or of Redis. Messages are not shown,
 * because they contain hosts and ports.
 */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN'
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string') return code
  return /^[A-Z]{2,}(?= )/.exec(error.message)?.[0] ?? error.constructor.name
}

/** A connection to Redis. */
export type RedisClient = Awaited<ReturnType<typeof createRedisClient>>

async function connectClient(options: ClientOptions): Promise<RedisClient> {
  const client = await createRedisClient(options)
  // An open connection must not keep an ended gateway alive; a command without an answer does.
  client.unref()
  let gaveUp = false
  client.on('error', options.onLost)
  // The library ignores `destroy` during a connect and keeps the socket once it is connected.
  client.on('connect', () => gaveUp && client.destroy())
  try {
    // The library's limit covers only the TCP connect; a server that accepts and then hangs needs this one.
    await within(2 * options.connectWithinMs, client.connect(), options.signal)
    return client
  } catch (error) {
    gaveUp = true
    client.destroy()
    throw error
  }
}

async function createRedisClient({ url, authorities, connectWithinMs }: ClientOptions) {
  // Loaded here: a gateway without a shared limit does not need it.
  const { createClient } = await import('redis')
  return createClient({
    url,
    socket: {
      connectTimeout: connectWithinMs,
      reconnectStrategy: false,
      ...(authorities === undefined ? {} : { ca: [...authorities] }),
    },
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_UNANSWERED,
    // The library's timer per command covers only commands that were not sent yet.
    commandOptions: { timeout: 0 },
    // The oldest protocol version and no optional commands, so that every server and access list works.
    RESP: 2,
    maintNotifications: 'disabled',
    disableClientInfo: true,
  })
}
