import { printable } from '@agentic-rest/profile'

/** Bounds an import and a schema, which may wait for ever. */
const LONGEST_WAIT_MS = 10_000
const LONGEST_TEXT = 256

/** One line about an error of a plugin, without its stack. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error))
    return `it threw ${error === null ? 'null' : `a value of type ${typeof error}`}`
  try {
    const [line = ''] = String(error.message).split('\n')
    return shorten(error.name === 'Error' ? line : `${error.name}: ${line}`)
  } catch {
    return 'it threw an error whose message cannot be read'
  }
}

/** A text of a plugin in a message: cut, and safe for a terminal. */
export function shorten(text: string): string {
  return printable(text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text)
}

/** A reason of a plugin in a table, in the console or at `/readyz`: cut, and one line. */
export function cut(text: string): string {
  return printable(text.slice(0, LONGEST_TEXT).toWellFormed())
}

/** Whether a value is a promise, of this library or another. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** Without a handler, a rejection would end the process. */
export function handleRejection(promise: PromiseLike<unknown>): void {
  Promise.resolve(promise).catch(() => undefined)
}

/** Code of a plugin took too long. */
export class LateError extends Error {}

/** Waits for code of a plugin; rejects with a `LateError` when it takes too long. */
export async function inTime<T>(waiting: T | PromiseLike<T>, longestMs = LONGEST_WAIT_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new LateError(`took longer than ${longestMs / 1000} seconds`)),
    longestMs,
  )
  try {
    return await Promise.race([waiting, late])
  } finally {
    clearTimeout(timer)
  }
}
