import { printable } from '../../config/faults.ts'

/** Bounds an import and a schema, which may wait for ever. */
const LONGEST_WAIT_MS = 10_000
const LONGEST_TEXT = 300

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

/** Waits for code of a plugin; rejects when it takes too long. */
export async function inTime<T>(waiting: T | PromiseLike<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`took longer than ${LONGEST_WAIT_MS / 1000} seconds`)),
    LONGEST_WAIT_MS,
  )
  try {
    return await Promise.race([waiting, late])
  } finally {
    clearTimeout(timer)
  }
}
