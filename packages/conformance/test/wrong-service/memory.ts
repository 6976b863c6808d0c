/** What the service remembers. */
export interface Memory {
  /** Orders by tenant. */
  readonly orders: Map<string, string[]>
  /** Stock checks of the agent behind, by tenant. */
  readonly checks: Map<string, object[]>
  /** Bodies by idempotency key. */
  readonly outcomes: Map<string, unknown>
  /** Open streams by tenant. */
  readonly streams: Map<string, number>
  /** Requests by their labels. */
  readonly requests: Map<string, number>
  next(): number
}

/** An empty memory. */
export function createMemory(): Memory {
  let count = 0
  return {
    orders: new Map(),
    checks: new Map(),
    outcomes: new Map(),
    streams: new Map(),
    requests: new Map(),
    next: () => {
      count += 1
      return count
    },
  }
}

/** Adds to a list that may not be there yet. */
export function addTo<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  lists.set(key, [...(lists.get(key) ?? []), item])
}
