import type { Log } from '../../log.ts'
import type { Receiver } from './notify-options.ts'
import type { Message, Outbox } from './outbox.ts'
import { webhookRequest } from './webhook.ts'

/** Sends the messages of an outbox until it is closed. */
export interface Notifier {
  start(): void
  /** Looks for messages at once. */
  wake(): void
  /** Ends the requests in flight. Their messages stay in the outbox. */
  close(): Promise<void>
}

interface NotifierOptions {
  readonly outbox: Outbox
  readonly receivers: readonly Receiver[]
  readonly fetch: typeof fetch
  readonly log: Log
  readonly pollMilliseconds?: number | undefined
  readonly timeoutMilliseconds?: number | undefined
}

// Per receiver: a slow one does not delay the others.
const CONCURRENCY = 8
const POLL_MS = 2_000
const TIMEOUT_MS = 10_000
const FIRST_PAUSE_SECONDS = 5
const MAX_PAUSE_SECONDS = 4 * 60 * 60
const GIVE_UP_SECONDS = 24 * 60 * 60

/** The pause after a failed attempt: 5 s, 20 s, 80 s and so on, up to four hours. */
export function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_SECONDS * 4 ** (attempts - 1), MAX_PAUSE_SECONDS)
}

/** Creates the sender of notifications. */
export function createNotifier({ receivers, ...options }: NotifierOptions): Notifier {
  const senders = receivers.map((receiver) => createSender({ ...options, receiver }))
  return {
    start() {
      for (const sender of senders) sender.start()
    },
    wake() {
      for (const sender of senders) sender.wake()
    },
    async close() {
      await Promise.all(senders.map((sender) => sender.close()))
    },
  }
}

interface SenderOptions extends Omit<NotifierOptions, 'receivers'> {
  readonly receiver: Receiver
}

function createSender(options: SenderOptions): Notifier {
  const { outbox, receiver, log, pollMilliseconds = POLL_MS } = options
  const closing = new AbortController()
  const inFlight = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let isWoken = false

  async function look(): Promise<void> {
    while (!closing.signal.aborted) {
      isWoken = false
      const messages = await outbox.lease(receiver.target, CONCURRENCY - inFlight.size)
      for (const message of messages) track(deliver(options, message, closing.signal))
      if (inFlight.size >= CONCURRENCY) await Promise.race(inFlight)
      else if (messages.length === 0 && !isWoken) return
    }
  }

  function track(delivery: Promise<void>): void {
    const tracked = delivery
      .catch((cause: unknown) => log.warn('a notification could not be marked', { cause }))
      .finally(() => void inFlight.delete(tracked))
    inFlight.add(tracked)
  }

  function wake(): void {
    isWoken = true
    if (closing.signal.aborted || timer === undefined) return
    looking ??= look()
      .catch((cause: unknown) => log.warn('notifications wait for the store', { cause }))
      .finally(() => {
        looking = undefined
      })
  }

  return {
    start() {
      timer = setInterval(wake, pollMilliseconds)
      timer.unref()
      wake()
    },
    wake,
    async close() {
      closing.abort()
      clearInterval(timer)
      await looking
      await Promise.all(inFlight)
    },
  }
}

/** Sends one message. A redirect is not followed: it could lead to an inner address. */
async function deliver(options: SenderOptions, message: Message, closing: AbortSignal): Promise<void> {
  const { outbox, log } = options
  const result = await post(options, message, closing)
  if (result === 'sent') return outbox.remove(message)
  // Another process, or the next start, sends it with the same id.
  if (closing.aborted) return outbox.postpone(message, 0)
  const { messageId, attempts } = message
  const pause = pauseAfter(attempts)
  if (result === 'gone' || message.ageSeconds + pause > GIVE_UP_SECONDS) {
    log.error('a notification is given up', { messageId, attempts, result })
    return outbox.remove(message)
  }
  log.warn('a notification failed and is sent again', { messageId, attempts, result, pauseSeconds: pause })
  return outbox.postpone(message, pause)
}

/** Returns `sent`, `gone`, or the reason of the failure, without the address. */
async function post(
  { receiver, fetch: send, timeoutMilliseconds = TIMEOUT_MS }: SenderOptions,
  message: Message,
  closing: AbortSignal,
): Promise<string> {
  try {
    const response = await send(receiver.url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMilliseconds)]),
      ...webhookRequest(receiver, message, new Date()),
    })
    // The answer has no meaning beside its status. Not awaited: a receiver may send without end.
    response.body?.cancel().catch(() => undefined)
    if (response.ok) return 'sent'
    return response.status === GONE ? 'gone' : `status ${response.status}`
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreachable'
  }
}

/** RFC 9110, section 15.5.11: the receiver wants no more. */
const GONE = 410
