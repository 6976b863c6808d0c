import { useEffect, useState } from 'preact/hooks'

/** A value that lives outside the components, and tells them when it has changed. */
export interface Store<T> {
  get(): T
  set(next: T): void
  subscribe(listener: () => void): () => void
}

/** Makes a store with its first value. */
export function createStore<T>(first: T): Store<T> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<T>({ get, subscribe }: Pick<Store<T>, 'get' | 'subscribe'>): T {
  const [value, setValue] = useState<T>(get)
  useEffect(() => {
    // It may have changed between the drawing and this moment.
    setValue(() => get())
    return subscribe(() => setValue(() => get()))
  }, [get, subscribe])
  return value
}
