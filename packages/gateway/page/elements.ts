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
