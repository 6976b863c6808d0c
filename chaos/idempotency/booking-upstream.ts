import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { outcomes } from '@agentic-rest/profile'

/** The header that names the gateway of a request. It is no part of the fingerprint. */
export const VIA = 'x-via-port'

/** A service that knows nothing of keys: every request is another booking. Its record is the truth of a run. */
export interface BookingUpstream {
  readonly url: string
  /** The bookings of each path. */
  readonly bookings: ReadonlyMap<string, readonly string[]>
  /** The paths whose answer met a closed connection: nobody can know their outcome. */
  readonly cutOff: ReadonlySet<string>
  /** Resolves when the gateway on a port has called and waits for its answer. */
  calledFrom(port: number): Promise<void>
  close(): void
}

/** Starts the service. Each booking takes `workMs()`, which is above 0. */
export async function startBookingUpstream(workMs: () => number): Promise<BookingUpstream> {
  const bookings = new Map<string, string[]>()
  const cutOff = new Set<string>()
  const calls = new Map<number, PromiseWithResolvers<void>>()
  let count = 0
  const book = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? ''
    count += 1
    const id = `b-${count}`
    bookings.set(path, [...(bookings.get(path) ?? []), id])
    response.once('close', () => {
      if (!response.writableFinished) cutOff.add(path)
    })
    const { status } = outcomes.created
    setTimeout(
      () =>
        response
          .writeHead(status, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ booking: id })),
      workMs(),
    )
    calls.get(Number(request.headers[VIA]))?.resolve()
  }
  const server = createServer((request, response) => {
    request.on('error', () => undefined).resume()
    request.once('end', () => book(request, response))
  })
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bookings,
    cutOff,
    calledFrom(port) {
      const call = Promise.withResolvers<void>()
      calls.set(port, call)
      return call.promise
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
