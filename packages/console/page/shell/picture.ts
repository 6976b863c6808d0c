/** The SVG path of a curve between two points with horizontal ends. */
export function curve(x1: number, y1: number, end: { readonly x: number; readonly y: number }): string {
  const bend = (end.x - x1) / 2
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${end.x - bend} ${end.y} ${end.x} ${end.y}`
}

/** Shortens a text to the width of its box. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
