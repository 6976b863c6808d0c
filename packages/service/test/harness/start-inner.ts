import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request received by an inner agent. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server controlled by a test. */
export interface Inner {
  readonly url: string
  readonly seen: SeenRequest[]
}

/** Starts an inner agent that records each request and answers as the test says. */
export async function startInner(
  answer: (request: SeenRequest, response: ServerResponse) => void,
): Promise<Inner> {
  const seen: SeenRequest[] = []
  const url = await startRawInner(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const received = { method, url: path, headers, body: Buffer.concat(chunks).toString() }
    seen.push(received)
    answer(received, response)
  })
  return { url, seen }
}

/** Starts an inner server with a raw listener. */
export async function startRawInner(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers with a typed body with the ids of the request. */
export function answerTyped(
  request: SeenRequest,
  response: ServerResponse,
  row: [number, string, object],
): void {
  const [status, mediaType, body] = row
  response.writeHead(status, { 'content-type': mediaType })
  const trace = {
    correlationId: String(request.headers['x-correlation-id']),
    requestId: String(request.headers['x-request-id']),
  }
  response.end(JSON.stringify({ ...body, trace }))
}
