import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** An HTTP response as bytes on a socket say it. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** A socket to a gateway that sends exactly what a test gives it. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Sends bytes and collects everything until the peer closes. Requests in it should say `Connection: close`. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await openSocket(port)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(bytes)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

/** The first response in a text; chunked bodies are put together. */
export function parseResponse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const rawHeaders = lines.flatMap((line) => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  const headers: Record<string, string> = Object.create(null)
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers[rawHeaders[index]?.toLowerCase() ?? ''] = rawHeaders[index + 1] ?? ''
  const rest = text.slice(end + 4)
  const body = headers['transfer-encoding'] === 'chunked' ? unchunk(rest) : rest
  return { status: Number(statusLine.split(' ')[1]), headers, rawHeaders, body }
}

function unchunk(text: string): string {
  let body = ''
  let at = 0
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    if (!(size > 0)) return body
    body += text.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 2 + size + 2
  }
}
