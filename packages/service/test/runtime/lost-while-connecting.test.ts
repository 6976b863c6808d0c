import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createStore } from '../../src/runtime/sql-store.ts'

/** One message of the PostgreSQL protocol: kind, length, content. */
function message(kind: string, content: Buffer | string): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + Buffer.byteLength(content))
  return Buffer.concat([Buffer.from(kind), length, Buffer.from(content)])
}

const authenticated = message('R', Buffer.alloc(4))
const ready = message('Z', 'I')
const shutDown = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')

/** A server that shuts down right after a login: both messages arrive together. */
async function startStoppingServer(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, shutDown])))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`
}

test('a connection that is lost in the moment in which it is made costs its query and not the process', async () => {
  const store = createStore({ url: await startStoppingServer() })
  onTestFinished(() => store.close())
  const away = { name: 'StoreUnavailableError', code: 'STORE_UNAVAILABLE' }
  await expect(store.query('SELECT 1')).rejects.toMatchObject(away)
  await expect(store.transaction(async () => 1)).rejects.toMatchObject(away)
})
