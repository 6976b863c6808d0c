/** A pressed key, and where. */
export interface Press {
  readonly key: string
  readonly hasCommand: boolean
  readonly hasAlt: boolean
  /** The focus is in a field. */
  readonly isTyping: boolean
  readonly isDialogOpen: boolean
  /** Single keys are switched off. */
  readonly isOff: boolean
}

/** The action of a key. */
export type KeyAction = 'send' | 'search' | 'keys'

/** The keys and their words, for the list. */
export const keyList: readonly (readonly [key: string, words: string])[] = [
  ['/', 'Search in the current view'],
  ['?', 'Show this list'],
  ['Ctrl+Enter', 'Send the request, or the form with the focus; ⌘+Enter on a Mac'],
  ['Esc', 'Close this list'],
]

/** The action of a pressed key. Single keys do nothing while somebody types. */
export function actionOf(press: Press): KeyAction | undefined {
  if (press.isDialogOpen || press.hasAlt) return undefined
  if (press.hasCommand) return press.key === 'Enter' ? 'send' : undefined
  if (press.isTyping || press.isOff) return undefined
  if (press.key === '/') return 'search'
  return press.key === '?' ? 'keys' : undefined
}

const KEY = 'console.single-keys'

/** Whether single keys are switched off (WCAG 2.1.4). */
export function areKeysOff(): boolean {
  try {
    return localStorage.getItem(KEY) === 'off'
  } catch {
    return false
  }
}

/** Switches single keys on or off. */
export function switchKeys(isOff: boolean): void {
  try {
    if (isOff) localStorage.setItem(KEY, 'off')
    else localStorage.removeItem(KEY)
  } catch {
    // Without storage they stay on.
  }
}

/** Does the action of a key. */
export function onKey(event: KeyboardEvent, openKeys: () => void): void {
  const { key, ctrlKey, metaKey, altKey } = event
  const target = event.target instanceof HTMLElement ? event.target : document.body
  const action = actionOf({
    key,
    hasCommand: ctrlKey || metaKey,
    hasAlt: altKey,
    isTyping: isField(target),
    isDialogOpen: document.querySelector('dialog[open]') !== null,
    isOff: areKeysOff(),
  })
  if (action === undefined || event.isComposing || event.repeat) return
  if (perform(action, target, openKeys)) event.preventDefault()
}

function perform(action: KeyAction, target: HTMLElement, openKeys: () => void): boolean {
  switch (action) {
    case 'keys':
      openKeys()
      return true
    case 'search':
      return focusSearch()
    case 'send': {
      const form = target.closest('form') ?? document.querySelector<HTMLFormElement>('form[data-send]')
      form?.requestSubmit()
      return form !== null
    }
  }
}

/** Focuses the search of the view, also in a folded part. */
function focusSearch(): boolean {
  // A search of what is shown comes before a field for one id.
  const search =
    document.querySelector<HTMLInputElement>('main [type="search"][data-search]') ??
    document.querySelector<HTMLInputElement>('main [data-search]')
  if (search === null) return false
  const folded = search.closest('details')
  if (folded !== null) folded.open = true
  search.focus()
  search.select()
  return true
}

function isField(element: HTMLElement): boolean {
  return element.isContentEditable || element.matches('input, textarea, select')
}
