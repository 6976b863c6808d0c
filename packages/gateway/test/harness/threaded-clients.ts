import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** Clients in another thread: they go on while this thread, which is the gateway's, is blocked. */
export interface ThreadedClients {
  /** Connects every client; resolves when all are connected. */
  connect(): Promise<void>
  /** Sends a text on every connection. */
  send(text: string): void
  /** Blocks this thread until every client has sent so many texts, and for at least `ms`. */
  blockUntilSent(texts: number, ms?: number): void
  /** Everything that the clients have received so far. */
  readonly received: readonly string[]
  /** Resolves when every connection is closed. A broken one ends with the code of its error. */
  readonly closed: Promise<void>
}

const program = `
const { connect } = require('node:net')
const { parentPort, workerData: { port, sent, count } } = require('node:worker_threads')
const clients = Array.from({ length: count }, () => ({ socket: undefined, waiting: [] }))
const write = (socket, text) => socket.write(text, () => {
  Atomics.add(sent, 0, 1)
  Atomics.notify(sent, 0)
})
const open = (client, index) => {
  const tell = (name, text) => parentPort.postMessage({ name, index, text })
  client.socket = connect(port, '127.0.0.1', () => {
    for (const text of client.waiting.splice(0)) write(client.socket, text)
    tell('connected')
  })
  client.socket.on('data', (bytes) => tell('data', bytes.toString('latin1')))
  client.socket.on('error', ({ code }) => tell('data', code))
  client.socket.on('close', () => tell('closed'))
}
parentPort.on('message', (text) => {
  if (text === undefined) return clients.forEach(open)
  for (const { socket, waiting } of clients) socket.connecting ? waiting.push(text) : write(socket, text)
})`

interface Message {
  readonly name: 'connected' | 'data' | 'closed'
  readonly index: number
  readonly text: string
}

/** Starts clients of a gateway on this machine. They end with the test. */
export async function startThreadedClients(port: number, count = 1): Promise<ThreadedClients> {
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(program, { eval: true, workerData: { port, sent, count } })
  onTestFinished(async () => void (await worker.terminate()))
  const received = Array<string>(count).fill('')
  const connected = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const told = { connected: 0, closed: 0 }
  worker.on('message', ({ name, index, text }: Message) => {
    if (name === 'data') {
      received[index] += text
      return
    }
    told[name] += 1
    if (told[name] === count) (name === 'closed' ? closed : connected).resolve()
  })
  await once(worker, 'online')
  return {
    connect() {
      worker.postMessage(undefined)
      return connected.promise
    },
    send: (text) => worker.postMessage(text),
    blockUntilSent(texts, ms = 0) {
      const end = performance.now() + ms
      for (let seen = 0; seen < texts * count; seen = Atomics.load(sent, 0)) Atomics.wait(sent, 0, seen)
      block(end - performance.now())
    },
    received,
    closed: closed.promise,
  }
}

/** Blocks this thread, as a program does that computes for so long. */
export function block(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
