import type { ClientSocket } from '../listen/handed-connections.ts'

/** A worker that connections can be handed to. */
export interface Taker {
  hand(socket: ClientSocket): void
}

/** Spreads connections over the workers. */
export interface Spread {
  take(socket: ClientSocket): void
  join(taker: Taker): void
  /** A worker is gone. What was on its way to it goes to another. */
  leave(taker: Taker): void
  /** A connection has arrived. */
  taken(taker: Taker): void
  /** Connections of a worker have ended. */
  closed(taker: Taker, count: number): void
  /** Connections that are open, with those that wait for a worker. */
  readonly open: number
  /** Resolves when none waits and none is on its way, or when that takes too long. */
  settled(): Promise<void>
}

interface Load {
  open: number
  /** All that it has ever got: of two that have equally many, it is the turn of the one that got fewer. */
  handed: number
  onTheWay: ClientSocket | undefined
}

/** How long those who are not with a worker yet may hold up a drain. */
const SETTLE_MS = 1000

/**
 * Makes the spread. A connection goes to the worker with the fewest, and to each worker one at a time: Node holds all
 * messages to a process back until it has taken a connection, and others wait for answers.
 */
export function createSpread(limit: () => number): Spread {
  const loads = new Map<Taker, Load>()
  const line: ClientSocket[] = []
  const settling = new Set<() => void>()
  const onTheWay = () => [...loads.values()].filter((load) => load.onTheWay !== undefined).length
  const open = () => [...loads.values()].reduce((sum, load) => sum + load.open, line.length)
  const advance = () => {
    for (let next = freest(loads); next !== undefined && line.length > 0; next = freest(loads)) {
      const [taker, load] = next
      load.onTheWay = line.shift()
      load.open += 1
      load.handed += 1
      if (load.onTheWay !== undefined) taker.hand(load.onTheWay)
    }
    if (line.length + onTheWay() === 0) for (const settle of settling) settle()
  }
  return {
    get open() {
      return open()
    },
    take(socket) {
      if (open() >= limit()) return void socket.destroy()
      line.push(socket)
      return advance()
    },
    join(taker) {
      loads.set(taker, { open: 0, handed: 0, onTheWay: undefined })
      advance()
    },
    leave(taker) {
      const { onTheWay: socket } = loads.get(taker) ?? {}
      loads.delete(taker)
      if (socket !== undefined) line.unshift(socket)
      advance()
    },
    taken(taker) {
      const load = loads.get(taker)
      if (load === undefined) return
      // The worker has a copy of its own by now.
      load.onTheWay?.destroy()
      load.onTheWay = undefined
      advance()
    },
    closed(taker, count) {
      const load = loads.get(taker)
      if (load !== undefined) load.open -= count
    },
    settled: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => settle(), SETTLE_MS)
        const settle = () => {
          clearTimeout(timer)
          settling.delete(settle)
          resolve()
        }
        settling.add(settle)
        advance()
      }),
  }
}

function freest(loads: ReadonlyMap<Taker, Load>): [Taker, Load] | undefined {
  const free = [...loads].filter(([, { onTheWay }]) => onTheWay === undefined)
  return free.toSorted(([, first], [, second]) => first.open - second.open || first.handed - second.handed)[0]
}
