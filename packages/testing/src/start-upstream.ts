import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { OpenServer } from './open-server.ts'
import { startServer } from './start-server.ts'

/** A real upstream on a free port. */
export interface TestUpstream extends OpenServer {
  /** Requests as they arrived, with their complete bodies once those are read. */
  readonly requests: ReceivedRequest[]
}

/** A request that an upstream saw. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/** Starts an HTTP upstream that reads the whole request, records it and then calls `answer`. */
export async function startUpstream(
  answer: (request: ReceivedRequest, response: ServerResponse) => void,
): Promise<TestUpstream> {
  const requests: ReceivedRequest[] = []
  const server = await startServer(async (request, response) => {
    const body = await readBody(request)
    if (body === undefined) return
    const { method = '', url = '', headers, rawHeaders } = request
    const received = { method, url, headers, rawHeaders, body }
    requests.push(received)
    answer(received, response)
  })
  return { ...server, requests }
}

/** The whole body, or nothing when the gateway took the request back. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch {
    return undefined
  }
}

/** Starts a TCP server for upstreams that do not speak proper HTTP. */
export async function startTcpUpstream(
  onSocket: (socket: Socket) => void,
): Promise<{ url: string; port: number }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}` }
}

/** The trace that an upstream has to put into typed bodies. */
export function traceOf({ headers }: Pick<ReceivedRequest, 'headers'>): {
  correlationId: string
  requestId: string
} {
  return {
    correlationId: String(headers['x-correlation-id']),
    requestId: String(headers['x-request-id']),
  }
}

/** Answers with JSON of a media type. */
export function answerJson(
  response: ServerResponse,
  { status = 200, type = 'application/json', body }: { status?: number; type?: string; body: unknown },
): void {
  response.writeHead(status, { 'content-type': type })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Answers with a typed body: status, media type and body, with the ids of the request. */
export function answerTyped(
  request: ReceivedRequest,
  response: ServerResponse,
  [status, type, body]: readonly [number, string, object],
): void {
  answerJson(response, { status, type, body: { ...body, trace: traceOf(request) } })
}

/** A service that resets every connection after a request has arrived. */
export async function startResetting() {
  let received = 0
  const { url } = await startTcpUpstream((socket) =>
    socket.once('data', () => {
      received += 1
      socket.resetAndDestroy()
    }),
  )
  return { url, received: () => received }
}
