import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { headers, outcomes } from '@agentic-rest/profile'

/**
 * A service with a delay for each request, in its own thread, so that the load does not slow it down. `/slow` has a long
 * delay; `/events` sends events until the client leaves.
 */
export interface SlowService {
  readonly url: string
  close(): Promise<void>
}

const SLOW_MS = 600

const code = `
const { createServer } = require('node:http')
const { parentPort, workerData: { workMs, slowMs, name, type, body } } = require('node:worker_threads')
const stream = (response) => {
  response.setHeader(name, 'text/event-stream').write('data: first\\n\\n')
  const timer = setInterval(() => response.write('data: next\\n\\n'), 100)
  response.once('close', () => clearInterval(timer))
}
const server = createServer((request, response) => {
  request.resume()
  if (request.url.startsWith('/events')) stream(response)
  else setTimeout(() => response.setHeader(name, type).end(body), request.url.startsWith('/slow') ? slowMs : workMs)
})
server.keepAliveTimeout = 60_000
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => parentPort.postMessage(server.address().port))`

/** Starts the service; its answers contain its name. */
export async function startSlowService(workMs: number, from = 'service'): Promise<SlowService> {
  const body = JSON.stringify({ from })
  const workerData = {
    workMs,
    slowMs: SLOW_MS,
    body,
    name: headers.contentType,
    type: outcomes.success.mediaType,
  }
  const worker = new Worker(code, { eval: true, workerData })
  const [port] = await once(worker, 'message')
  return { url: `http://127.0.0.1:${port}`, close: async () => void (await worker.terminate()) }
}
