/** Focuses an element if the focused one is gone; otherwise the keyboard would start at the top again. */
export function takeLostFocus(element: HTMLElement | null): void {
  const { activeElement, body } = document
  if (activeElement === null || activeElement === body) element?.focus()
}
