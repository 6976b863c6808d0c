import { useEffect, useState } from 'preact/hooks'

/** What a person can choose. */
export const themes = ['system', 'light', 'dark'] as const

/** One of the choices. */
export type Theme = (typeof themes)[number]

const KEY = 'console.theme'

/** The choice of an earlier visit. */
export function readTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Shows a theme, and remembers it. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
  dispatchEvent(new Event('themechange'))
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Then it holds until the page is left.
  }
}

/** Counts changes of the colours, for what cannot use style sheets: a canvas. */
export function useThemeTurn(): number {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const change = () => setTurn((before) => before + 1)
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', change)
    addEventListener('themechange', change)
    return () => {
      system.removeEventListener('change', change)
      removeEventListener('themechange', change)
    }
  }, [])
  return turn
}
