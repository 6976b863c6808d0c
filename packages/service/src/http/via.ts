import { isStorable } from '../runtime/key-text.ts'

// A longer chain of agents loses its oldest calls.
const MAX_CALLS = 16

/** Reads the header with the calls on the way. It is only shown, so calls that cannot be read are left out. */
export function readVia(value = ''): readonly string[] {
  return value
    .split(',')
    .slice(-MAX_CALLS)
    .flatMap((call) => decode(call.trim()))
}

/** Writes the header. The names in it may contain any character. */
export function writeVia(calls: readonly string[]): string | undefined {
  return calls.slice(-MAX_CALLS).map(encodeURIComponent).join(', ') || undefined
}

function decode(call: string): string[] {
  try {
    const text = decodeURIComponent(call)
    return text !== '' && isStorable(text) ? [text] : []
  } catch {
    return []
  }
}
