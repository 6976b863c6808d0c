import { useEffect, useState } from 'preact/hooks'

/** The choices of a theme. */
export const themes = ['system', 'light', 'dark'] as const

/** One of the choices. */
export type Theme = (typeof themes)[number]

const KEY = 'console.theme'

/** The stored choice. */
export function readTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Applies a theme and stores it. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
  dispatchEvent(new Event('themechange'))
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Without storage the theme lasts until the page is closed.
  }
}

/** Counts changes of the colours, for a canvas, which cannot use style sheets. */
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
