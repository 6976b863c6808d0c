import { printableText } from '@agentic-rest/profile'

type Child = Node | string

/**
 * Makes an element. Strings become text nodes, so that nothing of an approval is ever read as markup, and what is
 * invisible in them is shown as its code: an approver must see what is sent. `class` and the others are attributes.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children.map((child) => (typeof child === 'string' ? printableText(child) : child)))
  return made
}

/** A list of terms and their values. */
export function definitions(rows: readonly (readonly [string, Child] | undefined)[]): HTMLElement {
  const shown = rows.filter((row) => row !== undefined)
  const cells = shown.flatMap(([term, value]) => [element('dt', {}, [term]), element('dd', {}, [value])])
  return element('dl', {}, cells)
}

/** A JSON value as readable text: maps and lists as nested lists. */
export function valueTree(value: unknown): Child {
  if (Array.isArray(value))
    return value.length === 0
      ? 'none'
      : element(
          'ol',
          {},
          value.map((each) => element('li', {}, [valueTree(each)])),
        )
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    return entries.length === 0 ? 'none' : definitions(entries.map(([key, each]) => [key, valueTree(each)]))
  }
  return element('span', { class: 'value' }, [typeof value === 'string' ? value : String(value)])
}

/** A point in time, in the form of the reader's language. */
export function timeText(iso: string): Child {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return iso
  const text = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  return element('time', { datetime: iso }, [text])
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How far away a point in time is: "in 3 hours". */
export function distanceText(iso: string): string {
  const seconds = (new Date(iso).getTime() - Date.now()) / 1000
  if (Number.isNaN(seconds)) return ''
  const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(document.documentElement.lang).format(Math.round(seconds / length), unit)
}
