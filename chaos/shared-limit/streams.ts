import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerKeys, headers, outcomes } from '@agentic-rest/profile'

/** A request for a stream. */
export interface Visit {
  readonly port: number
  readonly tenant: string
  /** The stream ends by itself after this time; 0 for an endless stream. */
  readonly endsAfterMs: number
  /** The client leaves this long after the head of the answer, or after its request without waiting for the answer. */
  readonly leaves: { readonly after: 'head' | 'asking'; readonly ms: number }
}

/** The result of a visit: the status of its answer, or the reason for none. */
export type Visited = number | 'left before the answer' | 'connection lost'

/** Opens a stream and leaves it by closing the connection. */
export function openAndLeave({ port, tenant, endsAfterMs, leaves }: Visit): Promise<Visited> {
  return new Promise((resolve) => {
    let result: Visited = 'connection lost'
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      agent: false,
      method: 'POST',
      path: `/streams/${endsAfterMs}`,
      headers: { accept: 'text/event-stream', [headers.tenantId]: tenant },
    })
    const leave = () => {
      if (result === 'connection lost') result = 'left before the answer'
      request.destroy()
    }
    if (leaves.after === 'asking') setTimeout(leave, leaves.ms)
    request.on('error', () => undefined)
    request.on('close', () => resolve(result))
    request.on('response', (response) => {
      result = response.statusCode ?? 0
      response.on('error', () => undefined).resume()
      if (leaves.after === 'head') setTimeout(leave, leaves.ms)
    })
    request.end()
  })
}

/** A streaming service that counts the open streams of each tenant, to check the limit. */
export interface StreamUpstream {
  readonly url: string
  /** The open streams of all tenants. */
  open(): number
  /** The largest number of simultaneous streams of one tenant. */
  most(): number
  opened(): number
  close(): void
}

/** Starts the service. The number at the end of a path is the time of its stream in milliseconds. */
export async function startStreamUpstream(): Promise<StreamUpstream> {
  const counts = new Map<string, number>()
  let [most, opened] = [0, 0]
  const server = createServer((request, response) => {
    const tenant = String(request.headers[headerKeys.tenantId])
    const change = (by: number) => counts.set(tenant, (counts.get(tenant) ?? 0) + by)
    change(1)
    opened += 1
    most = Math.max(most, counts.get(tenant) ?? 0)
    stream(request, response, () => change(-1))
  })
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    most: () => most,
    opened: () => opened,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function stream(request: IncomingMessage, response: ServerResponse, onOver: () => void): void {
  let isOver = false
  const over = () => {
    if (isOver) return
    isOver = true
    onOver()
  }
  // Node emits the end of a connection first on the socket. The close of the response comes after other received data: a new
  // stream would be counted before the end of the old one.
  for (const event of ['end', 'error', 'close']) request.socket.once(event, over)
  response.on('close', () => {
    over()
    for (const event of ['end', 'error', 'close']) request.socket.removeListener(event, over)
  })
  request.on('error', over).resume()
  response.on('error', over)
  response.writeHead(outcomes.success.status, { 'content-type': 'text/event-stream' })
  response.write('data: open\n\n')
  const endsAfterMs = Number(request.url?.split('/').at(-1))
  if (endsAfterMs > 0)
    setTimeout(() => {
      // The stream no longer counts: the gateway learns of its end later than this process.
      over()
      response.end('data: bye\n\n')
    }, endsAfterMs)
}
