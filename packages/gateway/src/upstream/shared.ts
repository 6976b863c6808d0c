/** What one user has of a thing that others may have too. */
export interface Held<T> {
  readonly value: T
  /** Gives it back; with the last user it is closed. Safe to call again. */
  release(): Promise<void>
}

/** Things that outlast a reload, because the configuration before and the one after want the very same. */
export interface Shared<T> {
  /** Everything that somebody has. */
  readonly all: readonly T[]
  /** Hands out what the key stands for, made now if nobody has it. */
  hold(key: string, make: () => T): Held<T>
}

interface Entry<T> {
  readonly value: T
  users: number
}

/** Counts users: what none has any more is closed. */
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
