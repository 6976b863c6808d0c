/** The form in which `typ` values are compared: lower case, without `application/` (RFC 7515, section 4.1.9). */
export function normaliseTokenType(type: string): string {
  const lowered = type.toLowerCase()
  return lowered.startsWith('application/') ? lowered.slice('application/'.length) : lowered
}
