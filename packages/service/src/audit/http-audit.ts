import { type AuditEmitter, conditions, headers as headerNames } from '@agentic-rest/profile'
import type { CallIdentity } from '../call/identity.ts'
import { type Log, stderrLog } from '../log.ts'

/** The options of `httpAudit`. */
export interface HttpAuditOptions {
  /** The URL of a gateway's admin listener with the name of this service: `http://127.0.0.1:8090/api/records?part=campaigns`. */
  readonly url: string
  /** The identity for the listener, with its required role. Not needed in development. */
  readonly identity?: CallIdentity
  /** The log for lost records and for recovery; stderr by default. */
  readonly log?: Log
  /** The global `fetch` by default. */
  readonly fetch?: typeof fetch
}

/** An audit emitter that posts in the background. */
export interface HttpAudit extends AuditEmitter {
  /** Posts the remaining records. Call it after the service is closed. */
  close(): Promise<void>
}

const MAX_WAITING = 8_192
const BATCH_RECORDS = 250
// F3: Node's fetch can end the process when it sends a body of 64 KiB to a closed connection.
const BATCH_CHARACTERS = 16_384
const DELAY_MS = 200
const TIMEOUT_MS = 5_000

interface Queue {
  readonly waiting: string[]
  timer: NodeJS.Timeout | undefined
  sending: Promise<void> | undefined
  lost: number
  failing: boolean
}

/** Posts audit records to the admin listener of a gateway, for its console. It never delays a request. */
export function httpAudit(options: HttpAuditOptions): HttpAudit {
  assertUrl(options.url)
  const log = options.log ?? stderrLog()
  const queue: Queue = { waiting: [], timer: undefined, sending: undefined, lost: 0, failing: false }
  const flush = () => {
    clearTimeout(queue.timer)
    queue.timer = undefined
    queue.sending ??= sendAll(queue, options, log).finally(() => {
      queue.sending = undefined
      schedule()
    })
    return queue.sending
  }
  // The timer keeps the process alive until the last records are sent.
  const schedule = () => {
    if (queue.sending === undefined && queue.waiting.length > 0) queue.timer ??= setTimeout(flush, DELAY_MS)
  }
  return {
    emit(event) {
      const line = JSON.stringify(event)
      const obstacle = obstacleTo(line, queue)
      if (obstacle !== undefined) lose(queue, log, { count: 1, cause: obstacle })
      else queue.waiting.push(line)
      schedule()
    },
    close: flush,
  }
}

function obstacleTo(line: string, { waiting }: Queue): string | undefined {
  if (line.length > BATCH_CHARACTERS) return 'a record is too long'
  return waiting.length >= MAX_WAITING ? 'the queue is full' : undefined
}

function assertUrl(url: string): void {
  const parsed = URL.parse(url)
  if (parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.searchParams.has('part')) return
  throw new TypeError('the url of records has to be an absolute http or https URL that names the part')
}

async function sendAll(queue: Queue, options: HttpAuditOptions, log: Log): Promise<void> {
  while (queue.waiting.length > 0) {
    const batch = takeBatch(queue.waiting)
    try {
      await post(batch, options)
      arrived(queue, log)
    } catch (cause) {
      lose(queue, log, { count: batch.length, cause })
    }
  }
}

function takeBatch(waiting: string[]): string[] {
  let characters = 0
  let count = 0
  for (const line of waiting) {
    characters += line.length
    if (count === BATCH_RECORDS || (count > 0 && characters > BATCH_CHARACTERS)) break
    count += 1
  }
  return waiting.splice(0, count)
}

async function post(lines: readonly string[], options: HttpAuditOptions): Promise<void> {
  const { url, identity, fetch: send = fetch } = options
  const authorization = await identity?.authorization({ authorization: undefined })
  const response = await send(url, {
    method: 'POST',
    body: lines.join('\n'),
    headers: {
      [headerNames.contentType]: 'application/x-ndjson',
      ...(authorization !== undefined && { [headerNames.authorization]: authorization }),
    },
    // A redirect would send records and token to another address.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  await response.body?.cancel()
  if (response.ok) return
  if (response.status === conditions.unauthenticated && authorization !== undefined)
    identity?.refused?.(authorization)
  throw new Error(`the admin listener answered with ${response.status}`)
}

/** Logs only the first failure, not one line per record. */
function lose(queue: Queue, log: Log, { count, cause }: { readonly count: number; readonly cause: unknown }) {
  queue.lost += count
  if (!queue.failing) log.warn('audit records do not reach the admin listener', { cause })
  queue.failing = true
}

function arrived(queue: Queue, log: Log): void {
  if (queue.failing) log.info('audit records reach the admin listener again', { lost: queue.lost })
  queue.failing = false
  queue.lost = 0
}
