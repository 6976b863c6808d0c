import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { percentile } from '../statistics.ts'

/** A command to the process of the streams. */
export type StreamOrder =
  /** Opens streams at a port up to a total. */
  | {
      readonly type: 'open'
      readonly port: number
      readonly streams: number
      readonly token: string
      readonly stalled: boolean
    }
  /** Sends events on all streams for a time and measures their delay. */
  | { readonly type: 'measure'; readonly seconds: number; readonly eventsPerSecond: number }
  /** Sends as much as possible to stalled readers, until no stream has taken a byte for that time. */
  | { readonly type: 'flood'; readonly seconds: number }
  | { readonly type: 'close' }

/** A report of that process. */
export type StreamReport =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'opened'; readonly streams: number }
  | { readonly type: 'measured'; readonly events: number; readonly p50Ms: number; readonly p99Ms: number }
  | { readonly type: 'flooded' }
  | { readonly type: 'closed' }

/**
 * Service and clients of many streams in one process, so that one clock measures from write to read. The proxy between
 * them runs on another core.
 */
const opened = new Set<ServerResponse>()
const clients = new Set<Socket>()
const delays: number[] = []

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  response.flushHeaders()
  opened.add(response)
  response.once('close', () => opened.delete(response))
})
server.listen({ host: '127.0.0.1', port: 0, backlog: 8192 }, () =>
  report({ type: 'listening', port: (server.address() as AddressInfo).port }),
)

process.on('message', (order: StreamOrder) => void obey(order))

function obey(order: StreamOrder): Promise<void> {
  switch (order.type) {
    case 'open':
      return open(order)
    case 'measure':
      return measure(order)
    case 'flood':
      return flood(order.seconds)
    case 'close':
      return close()
  }
}

type Opening = Extract<StreamOrder, { type: 'open' }>

const OPENING_AT_A_TIME = 50
const OPEN_TIMEOUT_MS = 60_000

async function open(order: Opening): Promise<void> {
  const end = performance.now() + OPEN_TIMEOUT_MS
  while (opened.size < order.streams && performance.now() < end) {
    // A burst would fill the backlog of the listener, which is not the subject here.
    const mayOpen = clients.size < order.streams && clients.size - opened.size < OPENING_AT_A_TIME
    if (mayOpen) clients.add(openClient(order))
    else await wait(1)
  }
  report({ type: 'opened', streams: opened.size })
}

function openClient({ port, token, stalled }: Opening): Socket {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  const head = [
    'GET /events HTTP/1.1',
    'Host: bench',
    `Authorization: Bearer ${token}`,
    'Accept: text/event-stream',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.on('error', () => socket.destroy())
  socket.once('close', () => clients.delete(socket))
  // On a busy machine the gateway may refuse a stream as overloaded; another one replaces it.
  socket.once('data', (bytes: Buffer) => {
    if (!bytes.includes('HTTP/1.1 200')) socket.destroy()
    else if (stalled) socket.pause()
  })
  if (!stalled) socket.on('data', readEvents)
  return socket
}

const EVENT = /data: ([\d.]+)\n\n/g

function readEvents(bytes: Buffer): void {
  const now = performance.now()
  for (const [, writtenAt] of bytes.toString('latin1').matchAll(EVENT)) delays.push(now - Number(writtenAt))
}

/** One event at a time, spread over the second and the streams, as from many independent sources. */
async function measure({
  seconds,
  eventsPerSecond,
}: Extract<StreamOrder, { type: 'measure' }>): Promise<void> {
  delays.length = 0
  const sources = [...opened]
  const start = performance.now()
  const end = start + seconds * 1000
  for (let sent = 0; performance.now() < end; await wait(1)) {
    const due = ((performance.now() - start) / 1000) * eventsPerSecond
    for (; sent < due; sent += 1) sources[sent % sources.length]?.write(`data: ${performance.now()}\n\n`)
  }
  await wait(200)
  const sorted = delays.toSorted((first, second) => first - second)
  report({
    type: 'measured',
    events: sorted.length,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
  })
}

const FLOOD = Buffer.from(`data: ${'x'.repeat(16_000)}\n\n`)

const FLOOD_TIMEOUT_MS = 60_000

async function flood(seconds: number): Promise<void> {
  const timeout = performance.now() + FLOOD_TIMEOUT_MS
  let end = performance.now() + seconds * 1000
  while (performance.now() < Math.min(end, timeout)) {
    for (const source of opened)
      if (source.writableLength < FLOOD.length) {
        source.write(FLOOD)
        end = performance.now() + seconds * 1000
      }
    await wait(20)
  }
  report({ type: 'flooded' })
}

async function close(): Promise<void> {
  const gone = [...clients].map((socket) => once(socket, 'close'))
  for (const socket of clients) socket.destroy()
  await Promise.all(gone)
  for (const response of opened) response.destroy()
  report({ type: 'closed' })
}

function report(message: StreamReport): void {
  process.send?.(message)
}
