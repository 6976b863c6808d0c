import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { untilRead } from './until-read.ts'

test('bytes on other connections are read before it resolves', async () => {
  let read = ''
  const web = createServer((_request, response) => response.end('{}'))
  const server = createTcpServer((socket) => {
    socket.once('data', (data) => {
      if (data.toString().startsWith('GET /healthz')) {
        socket.unshift(data)
        web.emit('connection', socket)
      } else read += data
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = await Promise.all(
    ['a', 'b', 'c'].map(async (text) => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(text)
      return socket
    }),
  )
  await untilRead(port)
  expect([...read].toSorted().join('')).toBe('abc')
  for (const socket of sockets) socket.destroy()
})

test('it resolves when the server has gone', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  expect(await untilRead(port)).toBeUndefined()
})
