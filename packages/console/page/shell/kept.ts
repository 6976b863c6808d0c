import { useCallback, useState } from 'preact/hooks'

/** Something small that outlives a reload of the page, within the tab. A browser may forbid even that. */
export function readKept(name: string): string | undefined {
  try {
    return sessionStorage.getItem(`console.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps something for the next reload. */
export function keep(name: string, value: string): void {
  try {
    sessionStorage.setItem(`console.${name}`, value)
  } catch {
    // Then it is not kept.
  }
}

/** A text that is kept over a reload. */
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
