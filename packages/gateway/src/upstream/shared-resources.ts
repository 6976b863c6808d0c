/** One user's hold on a shared resource. */
export interface Held<T> {
  readonly value: T
  /** Ends the hold; the last one closes the resource. Safe to call again. */
  release(): Promise<void>
}

/** Resources that outlive a reload: the old and the new configuration hold the same one. */
export interface Shared<T> {
  /** All held resources. */
  readonly all: readonly T[]
  /** Holds the resource of a key; makes it if no user holds it. */
  hold(key: string, make: () => T): Held<T>
}

interface Entry<T> {
  readonly value: T
  users: number
}

/** Makes a set of reference-counted resources. */
export function createShared<T extends { close(): unknown }>(): Shared<T> {
  const entries = new Map<string, Entry<T>>()
  const leave = async (key: string, entry: Entry<T>) => {
    entry.users -= 1
    if (entry.users > 0) return
    entries.delete(key)
    await entry.value.close()
  }
  return {
    get all() {
      return [...entries.values()].map(({ value }) => value)
    },
    hold(key, make) {
      const entry = entries.get(key) ?? { value: make(), users: 0 }
      entries.set(key, entry)
      entry.users += 1
      let released: Promise<void> | undefined
      return {
        value: entry.value,
        release() {
          released ??= leave(key, entry)
          return released
        },
      }
    },
  }
}
