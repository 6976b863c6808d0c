import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { Channel, type Peer, type WorkerCalls, type WorkerChannel } from './channel.ts'

/** Two ends of one channel, as two processes have them. */
function createEnds(): { readonly here: Peer; readonly there: Peer; cut(): void } {
  const [left, right] = [new EventEmitter(), new EventEmitter()]
  const end = (own: EventEmitter, other: EventEmitter): Peer =>
    Object.assign(own, {
      // As over a pipe: a field without a value does not arrive.
      send: (message: unknown) => other.emit('message', JSON.parse(JSON.stringify(message))),
    }) as unknown as Peer
  return { here: end(left, right), there: end(right, left), cut: () => void left.emit('disconnect') }
}

test('a function that the other side does not have yet fails, and does not answer with nothing', async () => {
  const { here, there } = createEnds()
  const calls: Partial<WorkerCalls> = {}
  new Channel(there, calls)
  const channel: WorkerChannel = new Channel(here, {})
  await expect(channel.ask('degraded')).rejects.toThrow('the other process failed to answer')
  calls.degraded = () => ['no keys']
  expect(await channel.ask('degraded')).toEqual(['no keys'])
})

test('a question to a process that ends is rejected, and so is the next', async () => {
  const { here, there, cut } = createEnds()
  new Channel(there, { prepareReload: () => new Promise<readonly string[]>(() => undefined) })
  const channel: WorkerChannel = new Channel(here, {})
  const asked = channel.ask('prepareReload', { text: 'text' })
  expect(channel.isClosed).toBe(false)
  cut()
  await expect(asked).rejects.toThrow('the other process is gone')
  await expect(channel.ask('degraded')).rejects.toThrow('the other process is gone')
  expect(channel.isClosed).toBe(true)
})
