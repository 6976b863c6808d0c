import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { headers, outcomes } from '@agentic-rest/profile'
import { requestIdIn } from './caller.ts'

/** A service that closes connections after a short idle time and counts its executions. */
export interface ImpatientUpstream {
  readonly url: string
  /** The number of executions by request id. */
  readonly executed: ReadonlyMap<string, number>
  /** Connections closed while idle. */
  readonly dropped: number
  close(): void
}

const LENGTH = /^content-length: (\d+)\r$/im

/** Starts the service. Half of the closed connections are reset, as by a kernel with unread bytes. */
export async function startImpatientUpstream(idleMs: number): Promise<ImpatientUpstream> {
  const executed = new Map<string, number>()
  const sockets = new Set<Socket>()
  let dropped = 0
  const drop = (socket: Socket) => {
    dropped += 1
    if (dropped % 2 === 0) socket.resetAndDestroy()
    else socket.destroy()
  }
  const answer = (socket: Socket, head: string) => {
    const id = requestIdIn(head)
    executed.set(id, (executed.get(id) ?? 0) + 1)
    socket.write(answerText(id))
  }
  const server = createServer({ noDelay: true }, (socket) => {
    let idle: NodeJS.Timeout | undefined
    let text = ''
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(idle)
      sockets.delete(socket)
    })
    socket.on('data', (bytes) => {
      clearTimeout(idle)
      text += bytes.toString('latin1')
      const head = wholeRequest(text)
      if (head === undefined) return
      text = ''
      answer(socket, head)
      idle = setTimeout(drop, idleMs, socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    executed,
    get dropped() {
      return dropped
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** The head of a request, once head and body are complete. */
function wholeRequest(text: string): string | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end + 2)
  const length = Number(LENGTH.exec(head)?.[1] ?? 0)
  return text.length < end + 4 + length ? undefined : head
}

function answerText(id: string): string {
  const body = JSON.stringify({ id })
  const { status, mediaType } = outcomes.success
  return `HTTP/1.1 ${status} OK\r\n${headers.contentType}: ${mediaType}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
