import { expect, test } from 'vitest'
import type { ClientSocket } from '../listen/handed-connections.ts'
import { createSpread, type Taker } from './spread-connections.ts'

/** Connections by name, and what was done to them. */
function createDoor() {
  const destroyed: string[] = []
  const socket = (name: string) => ({ name, destroy: () => destroyed.push(name) }) as unknown as ClientSocket
  const nameOf = (given: ClientSocket) => (given as unknown as { name: string }).name
  const taker = () => {
    const got: string[] = []
    const self: Taker & { readonly got: string[] } = { got, hand: (given) => void got.push(nameOf(given)) }
    return self
  }
  return { socket, taker, destroyed }
}

test('each connection goes to the worker with the fewest, one at a time', () => {
  const { socket, taker, destroyed } = createDoor()
  const spread = createSpread(() => 100)
  const [first, second] = [taker(), taker()]
  spread.take(socket('a'))
  spread.join(first)
  spread.join(second)
  for (const name of ['b', 'c', 'd']) spread.take(socket(name))
  expect([first.got, second.got]).toEqual([['a'], ['b']])
  spread.taken(first)
  spread.taken(second)
  expect([first.got, second.got]).toEqual([
    ['a', 'c'],
    ['b', 'd'],
  ])
  // The copies of this process are closed when the workers have theirs.
  expect(destroyed).toEqual(['a', 'b'])
  spread.taken(first)
  spread.taken(second)
  spread.closed(second, 2)
  spread.take(socket('e'))
  spread.taken(second)
  spread.take(socket('f'))
  expect([second.got.slice(2), spread.open]).toEqual([['e', 'f'], 4])
})

test('what was on its way to a worker that died goes to another', () => {
  const { socket, taker, destroyed } = createDoor()
  const spread = createSpread(() => 100)
  const [first, second] = [taker(), taker()]
  spread.join(first)
  spread.take(socket('a'))
  spread.leave(first)
  expect(spread.open).toBe(1)
  spread.join(second)
  expect([second.got, destroyed]).toEqual([['a'], []])
})

test('more than the limit are refused, wherever the others are', () => {
  const { socket, taker, destroyed } = createDoor()
  const spread = createSpread(() => 2)
  const only = taker()
  spread.take(socket('a'))
  spread.join(only)
  spread.take(socket('b'))
  spread.take(socket('c'))
  expect(destroyed).toEqual(['c'])
  spread.taken(only)
  spread.taken(only)
  spread.closed(only, 1)
  spread.take(socket('d'))
  expect(only.got).toEqual(['a', 'b', 'd'])
})

test('it is settled when everybody is with a worker, and not before', async () => {
  const { socket, taker } = createDoor()
  const spread = createSpread(() => 100)
  const only = taker()
  spread.join(only)
  spread.take(socket('a'))
  let isSettled = false
  const settled = spread.settled().then(() => {
    isSettled = true
  })
  await Promise.resolve()
  expect(isSettled).toBe(false)
  spread.taken(only)
  await settled
  await spread.settled()
})
