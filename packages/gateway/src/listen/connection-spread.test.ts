import { expect, test } from 'vitest'
import { ConnectionSpread, type Taker } from './connection-spread.ts'
import type { ClientSocket } from './handed-connections.ts'

const ARRIVED = { arrived: 1, ended: 0 }

/** Connections by name, and what was done to them. */
function createSockets() {
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
  const { socket, taker, destroyed } = createSockets()
  const spread = new ConnectionSpread(() => 100)
  const [first, second] = [taker(), taker()]
  spread.add(socket('a'))
  spread.join(first)
  spread.join(second)
  for (const name of ['b', 'c', 'd']) spread.add(socket(name))
  expect([first.got, second.got]).toEqual([['a'], ['b']])
  spread.report(first, ARRIVED)
  spread.report(second, ARRIVED)
  expect([first.got, second.got]).toEqual([
    ['a', 'c'],
    ['b', 'd'],
  ])
  // The copies of this process are closed when the workers have theirs.
  expect(destroyed).toEqual(['a', 'b'])
  spread.report(first, ARRIVED)
  spread.report(second, ARRIVED)
  spread.report(second, { arrived: 0, ended: 2 })
  spread.add(socket('e'))
  spread.report(second, ARRIVED)
  spread.add(socket('f'))
  expect([second.got.slice(2), spread.open]).toEqual([['e', 'f'], 4])
})

test('what was on its way to a worker that died goes to another', () => {
  const { socket, taker, destroyed } = createSockets()
  const spread = new ConnectionSpread(() => 100)
  const [first, second] = [taker(), taker()]
  spread.join(first)
  spread.add(socket('a'))
  spread.leave(first)
  expect(spread.open).toBe(1)
  spread.join(second)
  expect([second.got, destroyed]).toEqual([['a'], []])
})

test('more than the limit are refused, wherever the others are', () => {
  const { socket, taker, destroyed } = createSockets()
  const spread = new ConnectionSpread(() => 2)
  const only = taker()
  spread.add(socket('a'))
  spread.join(only)
  spread.add(socket('b'))
  spread.add(socket('c'))
  expect(destroyed).toEqual(['c'])
  spread.report(only, ARRIVED)
  spread.report(only, ARRIVED)
  spread.report(only, { arrived: 0, ended: 1 })
  spread.add(socket('d'))
  expect(only.got).toEqual(['a', 'b', 'd'])
})

test('it is settled when everybody is with a worker, and not before', async () => {
  const { socket, taker } = createSockets()
  const spread = new ConnectionSpread(() => 100)
  const only = taker()
  spread.join(only)
  spread.add(socket('a'))
  let isSettled = false
  const settled = spread.settled().then(() => {
    isSettled = true
  })
  await Promise.resolve()
  expect(isSettled).toBe(false)
  spread.report(only, ARRIVED)
  await settled
  await spread.settled()
})
