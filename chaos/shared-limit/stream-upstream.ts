import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerKeys, outcomes } from '@agentic-rest/profile'

/** A service that streams and knows how many streams of each tenant are open: the truth that a limit is held against. */
export interface StreamUpstream {
  readonly url: string
  /** How many are open now, of all tenants. */
  open(): number
  /** The most that one tenant had open at once. */
  most(): number
  opened(): number
  close(): void
}

/** Starts one. A stream whose path ends in a number ends by itself after as many milliseconds. */
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
  // Node tells of the end of a connection first on the socket, and of the close of a response only when it has read everything
  // else that has come: a stream that took the free place would be counted before the one that left it.
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
      // It counts no more from here on: the gateway hears of it later than this process knows.
      over()
      response.end('data: bye\n\n')
    }, endsAfterMs)
}
