/** Gives an element the focus if nothing has it: what had it is gone, and a keyboard would start at the top again. */
export function takeLostFocus(element: HTMLElement | null): void {
  const { activeElement, body } = document
  if (activeElement === null || activeElement === body) element?.focus()
}
