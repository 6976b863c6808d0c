/** An error with a code, as those of the system have. */
export function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
