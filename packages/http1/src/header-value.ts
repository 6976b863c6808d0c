const BLANK = 0x20
const TAB = 0x09

/** A part of a text without the blanks around it. Not `trim`, which removes more than those of RFC 9110, section 5.6.3. */
export function withoutBlanks(text: string, start = 0, end = text.length): string {
  let from = start
  let to = end
  while (from < to && isBlank(text.charCodeAt(from))) from += 1
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1
  return text.slice(from, to)
}

/** Whether a tab is among the blanks behind the part of a text that ends at `end`. */
export function hasTabBehind(text: string, end: number): boolean {
  for (let at = end - 1; isBlank(text.charCodeAt(at)); at -= 1) if (text.charCodeAt(at) === TAB) return true
  return false
}

function isBlank(code: number): boolean {
  return code === BLANK || code === TAB
}

/** Whether `Content-Encoding` leaves the bytes as they are (RFC 9110, section 8.4.1). */
export function isIdentity(encoding = ''): boolean {
  if (encoding === '') return true
  return encoding.split(',').every((name) => ['', 'identity'].includes(name.trim().toLowerCase()))
}

/** The value of a header that may be sent several times (RFC 9110, section 5.3). */
export function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}
