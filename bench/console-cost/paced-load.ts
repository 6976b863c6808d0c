import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Requests at a fixed rate over a few connections. */
export interface PacedLoad {
  /** Sends requests at a rate for a time; resolves with the number of answers when all have arrived. */
  run(perSecond: number, ms: number): Promise<number>
  close(): void
}

// Too few to make a gateway on a busy machine refuse requests as overloaded.
const CONNECTIONS = 32

interface Connection {
  socket: Socket
  /** It waits for an answer or reconnects. */
  busy: boolean
  answered: number
  pending: Buffer
}

/** Opens the connections. Raw sockets, because the load generator must cost less than the gateway. */
export async function createPacedLoad(port: number): Promise<PacedLoad> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(port)))
  return {
    run: (perSecond, ms) => run(connections, perSecond, ms),
    close() {
      for (const { socket } of connections) socket.removeAllListeners('close').destroy()
    },
  }
}

async function openConnection(port: number): Promise<Connection> {
  const connection: Connection = { socket: new Socket(), busy: true, answered: 0, pending: Buffer.alloc(0) }
  await open(connection, port)
  return connection
}

/** Reconnects: the gateway closes a connection after a thousand requests. */
async function open(connection: Connection, port: number): Promise<void> {
  connection.socket = connect({ port, host: '127.0.0.1', noDelay: true })
  connection.socket.on('data', (chunk) => receive(connection, chunk))
  connection.socket.on('close', () => void open(connection, port))
  await once(connection.socket, 'connect')
  connection.busy = false
}

async function run(connections: readonly Connection[], perSecond: number, ms: number): Promise<number> {
  const startedAt = performance.now()
  const before = answeredBy(connections)
  let sent = 0
  for (let elapsed = 0; elapsed < ms; elapsed = performance.now() - startedAt) {
    const due = Math.floor((elapsed * perSecond) / 1000) - sent
    sent += sendSome(connections, due)
    await wait(1)
  }
  while (connections.some(({ busy }) => busy)) await wait(1)
  return answeredBy(connections) - before
}

function answeredBy(connections: readonly Connection[]): number {
  return connections.reduce((sum, { answered }) => sum + answered, 0)
}

/** Sends only on connections without an open request. A lower count shows that the load falls behind. */
function sendSome(connections: readonly Connection[], count: number): number {
  const free = connections.filter(({ busy }) => !busy).slice(0, count)
  for (const connection of free) {
    connection.busy = true
    connection.socket.write(
      `GET /items/1 HTTP/1.1\r\nHost: localhost\r\nX-Tenant-ID: acme\r\nX-Correlation-ID: ${randomUUID()}\r\n\r\n`,
    )
  }
  return free.length
}

function receive(connection: Connection, chunk: Buffer): void {
  connection.pending = Buffer.concat([connection.pending, chunk])
  const end = connection.pending.indexOf('\r\n\r\n')
  if (end === -1) return
  const head = connection.pending.toString('latin1', 0, end)
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? []
  if (status !== '200') throw new Error(`the gateway answered with ${status}`)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
  if (connection.pending.length < end + 4 + length) return
  connection.pending = Buffer.alloc(0)
  connection.busy = /^connection: close/im.test(head)
  connection.answered += 1
}
