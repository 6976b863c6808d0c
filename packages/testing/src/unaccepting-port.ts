import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** Listens with the shortest backlog there is and then never accepts: its thread sleeps for ever. */
const code = `
const { createServer } = require('node:net')
const { parentPort } = require('node:worker_threads')
const server = createServer()
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
})`

/** An address that swallows every attempt to connect, as a firewall does that drops packets. */
export interface UnacceptingPort {
  readonly port: number
  close(): Promise<void>
}

/** Opens one. */
export async function openUnacceptingPort(): Promise<UnacceptingPort> {
  const worker = new Worker(code, { eval: true })
  const [port] = await once(worker, 'message')
  const sockets: Socket[] = []
  const connectsWithin = (ms: number) => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    return new Promise<boolean>((resolve) => {
      socket.on('error', () => undefined).once('connect', () => resolve(true))
      // After what the time has brought as well: a process that did not run for so long sees both at once.
      setTimeout(() => setImmediate(resolve, false), ms)
    })
  }
  // The kernel completes as many handshakes as the backlog holds; these fill it.
  while (await connectsWithin(300));
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await worker.terminate()
    },
  }
}
