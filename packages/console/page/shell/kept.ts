import { useCallback, useState } from 'preact/hooks'

/** Reads a value from the session storage of the tab. A browser may forbid it. */
export function readKept(name: string): string | undefined {
  try {
    return sessionStorage.getItem(`console.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a value for the next reload. */
export function keep(name: string, value: string): void {
  try {
    sessionStorage.setItem(`console.${name}`, value)
  } catch {
    // Without storage the value is not kept.
  }
}

/** A state that survives a reload. */
export function useKept(name: string, first = ''): readonly [string, (value: string) => void] {
  const [value, setValue] = useState(() => readKept(name) ?? first)
  const set = useCallback(
    (next: string) => {
      keep(name, next)
      setValue(next)
    },
    [name],
  )
  return [value, set]
}
