import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { DiscardedBodies } from './discarded-bodies.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] }))
afterEach(() => void vi.useRealTimers())

/** A request that remembers whether its connection is read. */
class FakeRequest extends EventEmitter {
  isRead = true
  readonly socket = Object.assign(new EventEmitter(), {
    pause: () => {
      this.isRead = false
    },
    resume: () => {
      this.isRead = true
    },
  })

  resume(): void {}
}

function discard(count: number): FakeRequest[] {
  const bodies = new DiscardedBodies()
  const requests = Array.from({ length: count }, () => new FakeRequest())
  for (const request of requests) bodies.add(request as unknown as IncomingMessage)
  vi.advanceTimersByTime(1)
  return requests
}

const readOnes = (requests: readonly FakeRequest[]) =>
  requests.flatMap(({ isRead }, index) => (isRead ? [index] : []))

it('reads eight bodies at a time; the next one follows when one has ended', () => {
  const requests = discard(10)
  expect(readOnes(requests)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  requests[3]?.emit('end')
  requests[3]?.socket.emit('close')
  requests[5]?.socket.emit('close')
  expect(readOnes(requests)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

it('forgets a client that left before its turn', () => {
  const requests = discard(10)
  requests[8]?.socket.emit('close')
  requests[0]?.emit('end')
  expect(readOnes(requests)).not.toContain(8)
  expect(readOnes(requests)).toContain(9)
})

it('gives the place of a client that does not send to one that waits', () => {
  const requests = discard(9)
  vi.advanceTimersByTime(98)
  expect(requests[8]?.isRead).toBe(false)
  vi.advanceTimersByTime(1)
  expect(requests[8]?.isRead).toBe(true)
  expect(readOnes(requests)).toHaveLength(8)
  const seen = new Set<number>()
  for (let turn = 0; turn < 20; turn += 1) {
    for (const index of readOnes(requests)) seen.add(index)
    vi.advanceTimersByTime(100)
  }
  expect(seen.size).toBe(9)
})

it('lets a client go on alone for as long as nobody waits', () => {
  const [only] = discard(1)
  vi.advanceTimersByTime(10_000)
  expect(only?.isRead).toBe(true)
})

it('keeps nothing of clients that leave before their bodies are complete', async () => {
  vi.useRealTimers()
  const bodies = new DiscardedBodies()
  const server = createServer((request, response) => {
    response.on('close', () => bodies.add(request))
    response.end('refused')
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const clients = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'))
  await Promise.all(
    clients.map((client) => {
      client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nstart')
      return once(client, 'data')
    }),
  )
  await expect.poll(() => bodies.count).toBe(20)
  for (const client of clients) client.destroy()
  await expect.poll(() => bodies.count).toBe(0)
})
