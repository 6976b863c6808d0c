import { connect, type Socket } from 'node:net'
import { headers as headerNames } from '@agentic-rest/profile'

/** An answer from the wire. */
export interface WireAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The end of a request, as the client sees it. */
export type Ending = {
  readonly ms: number
  /** Time until the request was sent, with the time to connect. Infinite for a request that was never sent. */
  readonly sentMs: number
} & (
  | { readonly type: 'answer'; readonly answer: WireAnswer }
  /** The connection ended before the whole answer; `reused` for a connection with earlier answers. */
  | { readonly type: 'abort'; readonly bytes: number; readonly reused: boolean }
  /** No connection. */
  | { readonly type: 'refused' }
  /** No end within the caller's patience. */
  | { readonly type: 'hung'; readonly bytes: number }
)

/** A client with one persistent connection; it reconnects when necessary. */
export interface Caller {
  /** Sends one request. The next one may follow after its end. */
  ask(request: string | Buffer): Promise<Ending>
  /** Sends a request and closes the connection after a time, with or without an answer. */
  leave(request: string | Buffer, afterMs: number): Promise<void>
  close(): void
}

/** The port and the patience of a caller. */
export interface CallerOptions {
  readonly port: number
  readonly patienceMs: number
}

interface Waiting {
  readonly startedAt: number
  sentAt: number
  readonly resolve: (ending: Ending) => void
  readonly timer: NodeJS.Timeout
}

/** Creates a caller. Raw sockets, because the load generator must cost less than the gateway. */
export function createCaller({ port, patienceMs }: CallerOptions): Caller {
  let socket: Socket | undefined
  let received: Buffer = NOTHING
  let waiting: Waiting | undefined
  /** Answers on this connection. */
  let answered = 0
  const settle = (ending: Unsettled) => {
    const asked = waiting
    if (asked === undefined) return
    waiting = undefined
    received = NOTHING
    clearTimeout(asked.timer)
    const { startedAt, sentAt } = asked
    asked.resolve({ ...ending, ms: performance.now() - startedAt, sentMs: sentAt - startedAt })
  }
  const drop = () => {
    socket?.removeAllListeners('close').destroy()
    socket = undefined
  }
  const receive = (bytes: Buffer) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
    const answer = readAnswer(received)
    if (answer === undefined) return
    answered += 1
    if (answer.headers['connection'] === 'close') drop()
    settle({ type: 'answer', answer })
  }
  const open = (): Socket => {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true })
    let connected = false
    answered = 0
    opened.once('connect', () => {
      connected = true
      if (waiting !== undefined) waiting.sentAt = performance.now()
    })
    opened.on('data', receive).on('error', ignore)
    opened.once('close', () => {
      if (socket === opened) socket = undefined
      const bytes = received.length
      settle(connected ? { type: 'abort', bytes, reused: answered > 0 } : { type: 'refused' })
    })
    return opened
  }
  const send = (request: string | Buffer) => {
    socket ??= open()
    socket.write(request)
  }
  return {
    ask: (request) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          const bytes = received.length
          drop()
          settle({ type: 'hung', bytes })
        }, patienceMs)
        const startedAt = performance.now()
        const isOpen = socket !== undefined && !socket.connecting
        waiting = { startedAt, sentAt: isOpen ? startedAt : Number.POSITIVE_INFINITY, resolve, timer }
        send(request)
      }),
    async leave(request, afterMs) {
      send(request)
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      received = NOTHING
      drop()
    },
    close: drop,
  }
}

type Unsettled = Ending extends infer E ? (E extends Ending ? Omit<E, 'ms' | 'sentMs'> : never) : never

const NOTHING = Buffer.alloc(0)
const END_OF_HEAD = '\r\n\r\n'

function ignore(): void {}

/** The answer, once it is complete. */
export function readAnswer(bytes: Buffer): WireAnswer | undefined {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const body = readBody(bytes.subarray(end + END_OF_HEAD.length), headers)
  return body === undefined ? undefined : { status: Number(statusLine.split(' ')[1]), headers, body }
}

function readBody(bytes: Buffer, headers: Readonly<Record<string, string>>): string | undefined {
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes)
  const length = Number(headers['content-length'] ?? 0)
  return bytes.length < length ? undefined : bytes.toString('utf8', 0, length)
}

function readChunks(bytes: Buffer): string | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (Number.isNaN(size) || bytes.length < next) return undefined
    if (size === 0) return Buffer.concat(chunks).toString()
    chunks.push(bytes.subarray(lineEnd + 2, next - 2))
    at = next
  }
}

/** A request in parts. */
export interface CallerRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The bytes of a request, with a Host and the framing of its body. */
export function requestText({ method = 'GET', path, headers = {}, body }: CallerRequest): string {
  const framing =
    body === undefined
      ? {}
      : { [headerNames.contentType]: 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...framing }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}${END_OF_HEAD}${body ?? ''}`
}

const REQUEST_ID = new RegExp(`^${headerNames.requestId}: (.*)\r$`, 'im')

/** The id in the head of a request. */
export function requestIdIn(head: string): string {
  const [, id = ''] = REQUEST_ID.exec(head) ?? []
  return id
}
