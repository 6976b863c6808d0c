import { connect, type Socket } from 'node:net'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { expect, onTestFinished, test } from 'vitest'

const BODY = Buffer.alloc(1_000_000, 'x')
const head = (length: number) =>
  `POST /unknown HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

/** A client that counts the answers on its connection. */
function openClient(port: number) {
  const socket: Socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  return { socket, answers: () => text.split('HTTP/1.1 404').length - 1 }
}

test('the bodies of many refused requests are discarded, and every connection goes on', async () => {
  const { url } = await startGateway({ routes: [] })
  const port = Number(new URL(url).port)
  // Clients that never send their bodies must not stop those that do.
  for (const { socket } of Array.from({ length: 20 }, () => openClient(port))) socket.write(head(1_000_000))
  const clients = Array.from({ length: 40 }, () => openClient(port))
  for (const { socket } of clients) {
    socket.write(head(BODY.length))
    socket.write(BODY)
    socket.write(head(2))
    socket.write('{}')
  }
  await expect
    .poll(() => clients.map(({ answers }) => answers()), { timeout: 30_000 })
    .toEqual(clients.map(() => 2))
})
