import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { UPSTREAM_MARK } from '../fuzz/marked-upstream.ts'
import { createStrictReader, type SeenRequest, valuesOf } from './strict-requests.ts'

/** A listener that records its connections. */
export interface Recorder {
  readonly port: number
  readonly seen: readonly SeenRequest[]
  /** Unreadable bytes. */
  readonly faults: readonly string[]
  stop(): void
}

/** Reads requests strictly and answers each. */
export function startStrictRecorder(): Promise<Recorder> {
  return record((socket, { seen, faults }) => {
    const reader = createStrictReader({
      request(request) {
        seen.push(request)
        socket.write(answerTo(request))
      },
      fault(reason) {
        faults.push(reason)
        socket.destroy()
      },
    })
    socket.on('data', (bytes) => reader.add(bytes))
  })
}

function answerTo(request: SeenRequest): string {
  const [id = ''] = valuesOf(request, 'x-request-id')
  const body = request.method === 'HEAD' ? '' : '{}'
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${UPSTREAM_MARK}: ${id}\r\nContent-Length: 2\r\n\r\n${body}`
}

/** A proxy between gateway and server that forwards every byte and reads the requests. */
export function startTap(port: number): Promise<Recorder> {
  return record((socket, { seen, faults }) => {
    const reader = createStrictReader({
      request: (request) => void seen.push(request),
      fault: (reason) => void faults.push(reason),
    })
    const server = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (bytes) => reader.add(bytes))
    server.on('error', () => undefined).on('close', () => socket.destroy())
    socket.on('close', () => server.destroy())
    socket.pipe(server).pipe(socket)
  })
}

interface Kept {
  readonly seen: SeenRequest[]
  readonly faults: string[]
}

async function record(follow: (socket: Socket, kept: Kept) => void): Promise<Recorder> {
  const kept: Kept = { seen: [], faults: [] }
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    follow(socket, kept)
  })
  return { ...kept, port: await listen(server), stop: () => stop(server, sockets) }
}

/** Node's own server, both server and recorder. */
export async function startNodeRecorder(): Promise<Recorder> {
  const [seen, faults, sockets] = [[] as SeenRequest[], [] as string[], new Set<Socket>()]
  const server = createHttpServer(
    { keepAliveTimeout: 60_000, maxHeaderSize: 65_536 },
    async (request, response) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of request) chunks.push(chunk)
      } catch {
        return
      }
      const { method = '', url: target = '', rawHeaders } = request
      const headers = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
      )
      const framing = headers.some(([name]) => name === 'transfer-encoding') ? 'chunked' : 'length'
      seen.push({ method, target, headers, framing, body: Buffer.concat(chunks).toString('latin1') })
      const mark = { [UPSTREAM_MARK]: request.headers['x-request-id'] ?? '' }
      // With a length like the other servers, so that an HTTP/1.0 client can keep its connection.
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2, ...mark })
      response.end('{}')
    },
  )
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') faults.push(code)
    socket.destroy()
  })
  return { seen, faults, port: await listen(server), stop: () => stop(server, sockets) }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function stop(server: Server, sockets: ReadonlySet<Socket>): void {
  server.close()
  for (const socket of sockets) socket.destroy()
}
