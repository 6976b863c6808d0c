import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** Listens with the shortest backlog there is and then never accepts: its thread sleeps for ever. */
const code = `
const { createServer } = require('node:net')
const { parentPort } = require('node:worker_threads')
const server = createServer()
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
})`

/** The port of an address that swallows every attempt to connect, as a firewall does that drops packets. */
export async function startBlackhole(): Promise<number> {
  const worker = new Worker(code, { eval: true })
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = await once(worker, 'message')
  // The kernel completes as many handshakes as the backlog holds; these fill it.
  while (await connectsWithin(port, 300));
  return port
}

function connectsWithin(port: number, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined).once('connect', () => resolve(true))
    setTimeout(resolve, ms, false)
  })
}
