import type { Socket } from 'node:net'
import { openSocket, parseResponse, type RawResponse } from './raw-client.ts'

/** A connection that is kept: answers are taken from it one by one. */
export interface RawConnection {
  readonly socket: Socket
  send(bytes: string | Buffer): void
  /** The next answer; `bodyless` for the answer to a HEAD request. Rejects when the peer closes before it is complete. */
  response(options?: { readonly bodyless?: boolean }): Promise<RawResponse>
  /** Resolves when the gateway has closed, with everything that was not taken. */
  closed(): Promise<string>
}

/** Opens a connection to a gateway on which a test sends exactly the bytes it means. */
export async function openConnection(port: number): Promise<RawConnection> {
  return followSocket(await openSocket(port))
}

/** Takes answers one by one from a socket that is already open. */
export function followSocket(socket: Socket): RawConnection {
  let text = ''
  let ended = false
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    wake()
  })
  for (const event of ['end', 'close'])
    socket.on(event, () => {
      ended = true
      wake()
    })
  const until = <T>(attempt: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const check = () => {
        const value = attempt()
        if (value === undefined && !ended) return
        waiting.delete(check)
        if (value === undefined) reject(new Error(`closed before the answer was complete: ${text}`))
        else resolve(value)
      }
      waiting.add(check)
      check()
    })
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    response: ({ bodyless = false } = {}) =>
      until(() => {
        const end = endOfResponse(text, { bodyless, ended })
        if (end === undefined) return undefined
        const response = parseResponse(text.slice(0, end))
        text = text.slice(end)
        return response
      }),
    closed: () => until(() => (ended ? text : undefined)),
  }
}

/** Where the first answer of a text ends, or `undefined` when more of it must come. */
function endOfResponse(
  text: string,
  { bodyless, ended }: { readonly bodyless: boolean; readonly ended: boolean },
): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const { status, headers } = parseResponse(text.slice(0, headEnd + 4))
  const start = headEnd + 4
  if (bodyless || status < 200 || status === 204 || status === 304) return start
  if (headers['content-length'] !== undefined) return reached(text, start + Number(headers['content-length']))
  if (headers['transfer-encoding'] === 'chunked') return endOfChunks(text, start)
  return ended ? text.length : undefined
}

function endOfChunks(text: string, start: number): number | undefined {
  let at = start
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    at = lineEnd + 2 + size + 2
    if (size === 0) return reached(text, at)
  }
}

function reached(text: string, end: number): number | undefined {
  return text.length >= end ? end : undefined
}
