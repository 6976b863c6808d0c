import { useEffect, useState } from 'preact/hooks'

/** A value outside of components, with change notifications. */
export interface Store<T> {
  get(): T
  set(next: T): void
  subscribe(listener: () => void): () => void
}

/** Creates a store with its first value. */
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

/** The value of a store. A change redraws the component. */
export function useStore<T>({ get, subscribe }: Pick<Store<T>, 'get' | 'subscribe'>): T {
  const [value, setValue] = useState<T>(get)
  useEffect(() => {
    // The value may have changed since the drawing.
    setValue(() => get())
    return subscribe(() => setValue(() => get()))
  }, [get, subscribe])
  return value
}
