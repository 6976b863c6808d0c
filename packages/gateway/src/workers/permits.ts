import { settledWithin } from '../lifetime/settled-within.ts'

/** A worker that holds permits. */
export interface Holder {
  /** Gives back what it does not use, at least so many if it can; resolves with how many. */
  recall(needed: number): Promise<number>
}

/** The permits of all workers: each stands for one request that is worked on. */
export interface Permits {
  /** The worker may hold some from now on. */
  join(holder: Holder): void
  /** How many a worker gets that has so many requests waiting: none only when there are none anywhere. */
  ask(holder: Holder, needed: number): Promise<number>
  /** The worker is gone, and its requests with it. */
  leave(holder: Holder): void
  /** The limit has changed: what is held beyond it is called back until it is kept again. */
  limitChanged(): void
  /** What is held by workers. */
  readonly held: number
}

/** A worker that is slow to answer must not hold up the others; what it gives back later is free then. */
const RECALL_MS = 250
const RETRY_MS = 50

/** Makes the permits; nobody ever holds more of them together than the limit says. */
export function createPermits(limit: () => number): Permits {
  const held = new Map<Holder, number>()
  // Whoever has not answered yet is not asked again, so that one that is stuck holds up nobody but the first.
  const asked = new Set<Holder>()
  let turn: Promise<unknown> = Promise.resolve()
  let retry: NodeJS.Timeout | undefined
  const total = () => [...held.values()].reduce((sum, count) => sum + count, 0)
  const free = () => limit() - total()
  const book = (holder: Holder, change: number) => {
    const count = held.get(holder)
    if (count !== undefined) held.set(holder, count + change)
  }
  const recall = async (holder: Holder, needed: number) => {
    asked.add(holder)
    // A worker that has gone has left its permits already.
    const given = await holder.recall(needed).catch(() => 0)
    asked.delete(holder)
    book(holder, -given)
  }
  const recallFrom = (holders: readonly Holder[], needed: number) =>
    settledWithin(
      RECALL_MS,
      Promise.all(holders.filter((holder) => !asked.has(holder)).map((holder) => recall(holder, needed))),
    )
  const give = async (asker: Holder, needed: number) => {
    if (!held.has(asker)) return 0
    const others = [...held.keys()].filter((holder) => holder !== asker)
    if (free() < needed) await recallFrom(others, needed - Math.max(0, free()))
    const spare = Math.max(0, free() - needed)
    // With something to spare the next requests need not ask, and half of it stays for the others.
    const given = Math.max(0, Math.min(free(), needed + Math.floor(spare / 2)))
    book(asker, given)
    return held.has(asker) ? given : 0
  }
  const settle = () => {
    clearTimeout(retry)
    if (free() >= 0) return
    void recallFrom([...held.keys()], -free()).then(() => {
      retry = setTimeout(settle, RETRY_MS).unref()
    })
  }
  return {
    get held() {
      return total()
    },
    join: (holder) => void held.set(holder, 0),
    ask(asker, needed) {
      const given = turn.then(() => give(asker, needed))
      turn = given
      return given
    },
    leave: (holder) => void held.delete(holder),
    limitChanged: settle,
  }
}
