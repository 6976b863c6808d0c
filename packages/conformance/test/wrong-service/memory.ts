/** The state of the service. */
export interface Memory {
  /** Orders by tenant. */
  readonly orders: Map<string, string[]>
  /** Stock checks of the inner agent, by tenant. */
  readonly checks: Map<string, object[]>
  /** Bodies by idempotency key. */
  readonly outcomes: Map<string, unknown>
  /** The ids of requests that got a stored body. */
  readonly replays: Set<string>
  /** Open streams by tenant. */
  readonly streams: Map<string, number>
  /** Requests by their labels. */
  readonly requests: Map<string, number>
  next(): number
}

/** The empty state. */
export function createMemory(): Memory {
  let count = 0
  return {
    orders: new Map(),
    checks: new Map(),
    outcomes: new Map(),
    replays: new Set(),
    streams: new Map(),
    requests: new Map(),
    next: () => {
      count += 1
      return count
    },
  }
}

/** Adds to a list, creating it if needed. */
export function addTo<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  lists.set(key, [...(lists.get(key) ?? []), item])
}
