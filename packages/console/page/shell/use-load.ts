import { useCallback, useEffect, useState } from 'preact/hooks'

/** The state of a load: pending, loaded, or failed. */
export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly message: string }

// A restarted gateway is back within seconds.
const RETRY_MS = 2000

/** Loads a value when the component appears or `key` changes, on demand, and again after a failure. */
export function useLoad<T>(load: () => Promise<T>, key = ''): readonly [Loaded<T>, () => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isCurrent = true
    const settle = (next: Loaded<T>) => isCurrent && setLoaded(next)
    load().then(
      (value) => settle({ state: 'ready', value }),
      (error: unknown) => settle({ state: 'failed', message: messageOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [key, turn])
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  useEffect(() => {
    if (loaded.state !== 'failed') return undefined
    const timer = setTimeout(reload, RETRY_MS)
    return () => clearTimeout(timer)
  }, [loaded, reload])
  return [loaded, reload]
}

/** Repeats work while the component exists and the page is visible. */
export function useRepeat(action: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || action(), everyMs)
    return () => clearInterval(timer)
  }, [action, everyMs])
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
