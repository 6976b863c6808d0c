import { type AuditEmitter, conditions, headers as headerNames } from '@agentic-rest/profile'
import type { CallIdentity } from '../call/identity.ts'
import { type Log, stderrLog } from '../log.ts'

/** Where records are posted. */
export interface HttpAuditOptions {
  /** The admin listener of a gateway, with the name of this part: `http://127.0.0.1:8090/api/records?part=campaigns`. */
  readonly url: string
  /** Whose token goes along, with the role that the listener asks for; none is needed in development. */
  readonly identity?: CallIdentity
  /** Hears when records begin to be lost, and when they arrive again; stderr unless set. */
  readonly log?: Log
  /** The global one unless set. */
  readonly fetch?: typeof fetch
}

/** An emitter that posts in the background. */
export interface HttpAudit extends AuditEmitter {
  /** Posts what is left. Call it after the service is closed. */
  close(): Promise<void>
}

const MAX_WAITING = 8_192
const BATCH_RECORDS = 250
// F3: Node's own fetch can end the process when a body of 64 KiB meets a connection that is closed.
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

/** Posts audit records to the admin listener of a gateway, so that its console shows them. It holds nothing up. */
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
  // The timer keeps a process that ends alive until its last records are out.
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
    // Records and token are for this address and no other.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  await response.body?.cancel()
  if (response.ok) return
  if (response.status === conditions.unauthenticated && authorization !== undefined)
    identity?.refused?.(authorization)
  throw new Error(`the admin listener answered with ${response.status}`)
}

/** One line when it begins: a listener that is away for hours is no reason for a log of hours. */
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
