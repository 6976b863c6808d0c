import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends bytes; resolves with everything received until the peer closes. */
export async function openSocket(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(bytes)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}
