import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createChannel, type Desk, type Peer } from './channel.ts'

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

test('what the other side has no answer for yet is refused, and is not answered with nothing', async () => {
  const { here, there } = createEnds()
  const desk: Record<string, Desk[string]> = {}
  createChannel(there, desk)
  const channel = createChannel<{ recall(needed: number): number }>(here, {})
  await expect(channel.ask('recall', 1)).rejects.toThrow('the other process failed to answer')
  desk['recall'] = () => 3
  expect(await channel.ask('recall', 1)).toBe(3)
})
